/** What this browser keeps. Where storage is forbidden, it keeps it until the page is left. */

const memory = new Map<string, string>();

export function load(key: string): string | null {
  try {
    return localStorage.getItem(`pierule.${key}`);
  } catch {
    return memory.get(key) ?? null;
  }
}

export function save(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`pierule.${key}`);
    else localStorage.setItem(`pierule.${key}`, value);
  } catch {
    if (value === null) memory.delete(key);
    else memory.set(key, value);
  }
}
