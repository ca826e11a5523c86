/**
 * The shell: the files of one build of the page, kept for times without a connection. With a connection
 * the server has the first word, so nobody sees an old page: its files have names that change with what
 * is in them, and whatever was kept of a build was kept as a whole. So two builds are never mixed.
 *
 * It answers for the page's own addresses and files. Everything else goes past it: WebSockets, the
 * archive, the documents of games.
 */

/** What was built: its name, and all files of the page by their paths. */
export interface Build {
  name: string;
  files: readonly string[];
}

/** What a browser gives to its workers, and where this one stands. */
export interface World {
  /** The folder of the page. */
  scope: string;
  caches: CacheStorage;
  fetch: (request: Request) => Promise<Response>;
  /** There is to be no worker for this page any more. */
  unregister: () => Promise<unknown>;
}

const PREFIX = "pierule-shell-";
const INDEX = "index.html";
export const SCRIPT = "sw.js";

/** Files whose name changes with their content. */
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;
/** The addresses of the page: itself, games and players (SPEC 29). */
const PAGE = /^(?:index\.html|(?:game|player)\/[^/]+)?$/;
/** What proxies answer while there is no server behind them. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

export class Shell {
  private readonly files: ReadonlySet<string>;
  /** What the cache of this build is called. */
  private readonly name: string;

  constructor(
    private readonly build: Build,
    private readonly world: World,
  ) {
    this.files = new Set(build.files);
    this.name = PREFIX + build.name;
  }

  /** Keep the whole build, or nothing of it: it is there when its page is, which comes last. Rejects if
   * the server has another build by now. */
  async install(): Promise<void> {
    const answers = new Map<string, Response>();
    // One after the other: nobody waits for it, and an address may only come so often at once.
    for (const file of this.build.files) answers.set(file, await this.load(file));
    const page = answers.get(INDEX)!;
    for (const [, file] of (await page.clone().text()).matchAll(/="\.\/(assets\/[^"]+)"/g))
      if (!this.files.has(file!)) throw new Error(`the page is of another build: ${file}`);
    answers.delete(INDEX);
    await this.world.caches.delete(this.name); // caches are in the order in which they began
    const cache = await this.world.caches.open(this.name);
    await Promise.all([...answers].map(([file, answer]) => cache.put(this.at(file), answer)));
    await cache.put(this.at(INDEX), page);
  }

  /** A file of the build, to its last byte. */
  private async load(file: string): Promise<Response> {
    // What never changes may come from the browser's own cache: most of it was loaded just now.
    const cache = HASHED.test(file) ? "default" : "no-cache";
    const answer = await this.world.fetch(new Request(this.at(file), { cache }));
    if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
    const headers = new Headers(answer.headers);
    for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name); // it is decoded
    return new Response(await answer.arrayBuffer(), { headers });
  }

  /** Forget what was kept of earlier builds, but the last one: pages of it may still be open, and want
   * parts that they have not loaded yet. */
  async activate(): Promise<void> {
    const shells = (await this.world.caches.keys()).filter((name) => name.startsWith(PREFIX));
    const earlier = shells.filter((name) => name !== this.name);
    await this.forget(earlier.slice(0, -1));
  }

  /** The answer to a request of the page; null: the browser is to ask by itself. */
  answer(request: Request): Promise<Response> | null {
    if (request.method !== "GET" || !request.url.startsWith(this.world.scope)) return null;
    const path = request.url.slice(this.world.scope.length).replace(/[?#].*/, "");
    if (request.mode === "navigate") return PAGE.test(path) ? this.page(request, path) : null;
    if (HASHED.test(path)) return this.kept(path).then((found) => found ?? this.world.fetch(request));
    if (!this.files.has(path) || path === SCRIPT) return null;
    return this.world.fetch(request).catch(async (error: Error) => {
      const found = await this.kept(path);
      if (found) return found;
      throw error;
    });
  }

  /** If the server has no worker now, nothing is kept any more, and the browser asks by itself. If it has
   * one and the build is lost, which browsers may forget, it is kept again. */
  async check(): Promise<void> {
    const asked = new Request(this.at(SCRIPT), { cache: "no-cache" });
    const answer = await this.world.fetch(asked).catch(() => null);
    const names = await this.world.caches.keys();
    if (answer?.ok && !(await this.kept(INDEX))) await this.install();
    if (answer?.status !== 404 && answer?.status !== 410) return;
    await this.forget(names.filter((name) => name.startsWith(PREFIX)));
    await this.world.unregister();
  }

  /** The page as the server has it; without a connection as it was kept. */
  private async page(request: Request, path: string): Promise<Response> {
    const answer = await this.world.fetch(request).catch((error: Error) => error);
    if (!(answer instanceof Error) && !AWAY.has(answer.status)) return answer;
    const kept = await this.kept(INDEX);
    if (kept) return path.includes("/") ? below(kept) : kept;
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** A file that was kept: of this build, or what has its own name of the one before. */
  private async kept(file: string): Promise<Response | null> {
    const how = { ignoreVary: true };
    const { caches } = this.world;
    const own = await caches.match(this.at(file), { ...how, cacheName: this.name });
    if (own || !HASHED.test(file)) return own ?? null;
    return (await caches.match(this.at(file), how)) ?? null;
  }

  private async forget(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.world.caches.delete(name)));
  }

  private at(file: string): string {
    return this.world.scope + file;
  }
}

/** The page as it is served one folder down, where its files are beside its folder. */
async function below(page: Response): Promise<Response> {
  return new Response((await page.text()).replaceAll('="./', '="../'), { headers: page.headers });
}
