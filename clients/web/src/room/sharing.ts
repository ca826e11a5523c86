/** How a link gets to others. Pure but for what the system does. */

/** What this system can do with a link. */
export interface System {
  /** Shows the system's share sheet; null if it has none. */
  share: ((link: string) => Promise<void>) | null;
  copy: (link: string) => Promise<void>;
}

/** What has become of a link. `left`: the user closed the share sheet. `neither`: nothing was allowed. */
export type Passed = "shared" | "left" | "copied" | "neither";

/** Passes links on: with the share sheet if there is one. When the system refuses that, it copies, from then
 * on. */
export class Passing {
  private busy = false;

  constructor(private system: System) {}

  /** Whether the next link gets to the share sheet. */
  get shares(): boolean {
    return this.system.share !== null;
  }

  /** Resolves to null, and does nothing, while an earlier link is on its way. */
  async pass(link: string): Promise<Passed | null> {
    if (this.busy) return null;
    this.busy = true;
    try {
      return (await this.share(link)) ?? (await this.copy(link));
    } finally {
      this.busy = false;
    }
  }

  /** Null: there is no share sheet, or it was refused. */
  private async share(link: string): Promise<Passed | null> {
    try {
      await this.system.share?.(link);
      return this.shares ? "shared" : null;
    } catch (error) {
      if ((error as Error).name === "AbortError") return "left";
      this.system = { ...this.system, share: null };
      return null;
    }
  }

  private copy(link: string): Promise<Passed> {
    return this.system.copy(link).then(
      () => "copied",
      () => "neither",
    );
  }
}

/** What this browser can do. Where there is a mouse, copying is what people look for. */
export const system = (): System => ({
  share:
    "share" in navigator && matchMedia("(pointer: coarse)").matches
      ? (url) => navigator.share({ url })
      : null,
  copy: async (link) => navigator.clipboard.writeText(link), // there is no clipboard without https
});
