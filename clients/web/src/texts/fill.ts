/** Fill the `{}` of a sentence, the last with all that is left. */
export function fill(sentence: string, points: readonly string[], and: string): string {
  const places = sentence.split("{}").length - 1;
  const words = [...points.slice(0, places - 1), points.slice(Math.max(0, places - 1)).join(and)];
  return sentence.replace(/\{\}/g, () => words.shift() ?? "");
}
