/** A number with its noun. */
export const count = (n: number, one: string, more: string): string => `${n} ${n === 1 ? one : more}`;
