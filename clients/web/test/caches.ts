/** Caches in memory, as far as the page and its worker use them. */

type Kept = Map<string, { request: Request; response: Response }>;

class MemoryCache {
  readonly kept: Kept = new Map();
  async match(at: string | Request) {
    return this.kept.get(urlOf(at))?.response.clone();
  }
  async put(at: string | Request, response: Response) {
    this.kept.set(urlOf(at), { request: new Request(at), response });
  }
  async delete(at: string | Request) {
    return this.kept.delete(urlOf(at));
  }
  async keys() {
    return [...this.kept.values()].map(({ request }) => request);
  }
}

const urlOf = (at: string | Request): string => new Request(at).url;

export class MemoryCaches {
  readonly all = new Map<string, MemoryCache>();
  async open(name: string) {
    if (!this.all.has(name)) this.all.set(name, new MemoryCache());
    return this.all.get(name)!;
  }
  async keys() {
    return [...this.all.keys()];
  }
  async delete(name: string) {
    return this.all.delete(name);
  }
  async match(at: string | Request, { cacheName }: MultiCacheQueryOptions = {}) {
    for (const [name, cache] of this.all) {
      if (cacheName !== undefined && name !== cacheName) continue;
      const found = await cache.match(at);
      if (found) return found;
    }
    return undefined;
  }
  /** As the platform's, which has more. */
  get storage(): CacheStorage {
    return this as unknown as CacheStorage;
  }
}
