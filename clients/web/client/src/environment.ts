/** What the library takes from its surroundings: time, chance and HTTP. A test or a simulation brings
 * its own. */

export interface Environment {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment. They only grow. */
  elapsed(): number;
  /** Call `run` once after `delay` ms. The returned function cancels that. */
  after(delay: number, run: () => void): () => void;
  /** A number from 0 up to 1. */
  random(): number;
  /** Bytes that nobody can guess. */
  randomBytes(length: number): Uint8Array;
  fetch(url: string, options: RequestInit): Promise<Response>;
}

/** A browser, or Node. */
export const platform: Environment = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delay, run) {
    const timer = setTimeout(run, delay);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  fetch: (url, options) => fetch(url, options),
};

/** A fresh name for an intention, so that a retry is safe (SPEC 2.3). */
export const newNonce = (environment: Environment): string => randomText(environment, 12);

/** A secret that only the guests of a private room know (SPEC 20.3): 128 bits. */
export const newInvitation = (environment: Environment): string => randomText(environment, 16);

const randomText = (environment: Environment, length: number): string =>
  Array.from(environment.randomBytes(length), (byte) => byte.toString(16).padStart(2, "0")).join("");
