/** A fresh name for an intention, so that a retry is safe (SPEC 2.3). */
export const newNonce = (): string => randomText(12);

/** A secret that only the guests of a private room know (SPEC 20.3): 128 bits. */
export const newInvitation = (): string => randomText(16);

function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
