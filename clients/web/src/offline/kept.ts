/**
 * What this browser keeps for times without a connection: values of JSON by name, in a cache of its own.
 * When there are too many, those go that were kept longest ago. A browser that keeps nothing (a page
 * over plain http, a private window, a full disk) finds nothing, and that is all.
 */

/** No address of the web: what is kept here is never asked for by HTTP. */
const AT = "https://kept.invalid/";

export class Kept<T> {
  constructor(
    private readonly name: string,
    private readonly most: number,
    private readonly storage: CacheStorage | undefined = globalThis.caches,
  ) {}

  async get(key: string): Promise<T | null> {
    return this.reach(async (cache) => {
      const found = await cache.match(addressOf(key));
      return found ? ((await found.json()) as T) : null;
    });
  }

  async put(key: string, value: T): Promise<void> {
    await this.reach(async (cache) => {
      await cache.delete(addressOf(key)); // it comes last among all
      await cache.put(addressOf(key), Response.json(value));
      const keys = await cache.keys();
      await Promise.all(keys.slice(0, -this.most).map((old) => cache.delete(old)));
    });
  }

  /** Everything, what was kept last first. */
  async all(): Promise<T[]> {
    const found = await this.reach(async (cache) => {
      const answers = await Promise.all((await cache.keys()).map((key) => cache.match(key)));
      return Promise.all(answers.flatMap((each) => (each ? [each.json() as Promise<T>] : [])));
    });
    return (found ?? []).reverse();
  }

  private async reach<R>(work: (cache: Cache) => Promise<R>): Promise<R | null> {
    try {
      return this.storage ? await work(await this.storage.open(`pierule-${this.name}`)) : null;
    } catch {
      return null; // forbidden, full or damaged
    }
  }
}

const addressOf = (key: string): string => AT + encodeURIComponent(key);
