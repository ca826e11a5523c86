/** Fill in `{0}`, `{1}`, … in a sentence; a placeholder without a value disappears (SPEC 26.7). */
export const fill = (sentence: string, values: readonly (string | number)[]): string =>
  sentence.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)] ?? ""));

/** The same with points: the highest placeholder takes all the points that are left. */
export function fillPoints(sentence: string, points: readonly string[], and: string): string {
  const last = Math.max(0, ...[...sentence.matchAll(/\{(\d)\}/g)].map(([, at]) => Number(at)));
  return fill(sentence, [...points.slice(0, last), points.slice(last).join(and)]);
}
