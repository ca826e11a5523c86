/**
 * What this browser keeps for times without a connection: JSON values by name, in a cache of their own. When
 * there are too many, the oldest go. Where a browser keeps nothing (a page over plain http, a private window,
 * a full disk), nothing is found, and nothing else happens.
 */

/** The keys must look like addresses, but nothing here is ever asked for by HTTP. */
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
      await cache.delete(addressOf(key)); // so that it becomes the newest
      await cache.put(addressOf(key), Response.json(value));
      const keys = await cache.keys();
      await Promise.all(keys.slice(0, -this.most).map((old) => cache.delete(old)));
    });
  }

  /** Everything, the newest first. */
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
