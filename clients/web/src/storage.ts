/** What this browser keeps. Where storage is forbidden, it is kept until you leave the page. */

const memory = new Map<string, string>();

/** What belongs to the user. A window that is set apart has another user, and so its own. */
const PERSONAL = new Set(["token", "name", "mine", "registered", "blocked"]);

/** Whether this window was set apart: it has another user than the browser's other windows. */
export const apart = (): boolean => read(sessionStorageOf(), "apart") !== null;

function place(key: string): Storage | null {
  return PERSONAL.has(key) && apart() ? sessionStorageOf() : localStorageOf();
}

export function load(key: string): string | null {
  return read(place(key), key);
}

export function save(key: string, value: string | null): void {
  write(place(key), key, value);
}

/** What only this window keeps, even when it is loaded again. */
export const loadHere = (key: string): string | null => read(sessionStorageOf(), key);
export const saveHere = (key: string, value: string | null): void => write(sessionStorageOf(), key, value);

const localStorageOf = () => reach(() => localStorage);
const sessionStorageOf = () => reach(() => sessionStorage);

function reach(storage: () => Storage): Storage | null {
  try {
    return storage();
  } catch {
    return null; // forbidden
  }
}

function read(storage: Storage | null, key: string): string | null {
  return storage ? storage.getItem(`pierule.${key}`) : (memory.get(key) ?? null);
}

function write(storage: Storage | null, key: string, value: string | null): void {
  try {
    if (value === null) storage?.removeItem(`pierule.${key}`);
    else storage?.setItem(`pierule.${key}`, value);
  } catch {} // full: it is lost when you leave the page
  if (storage) return;
  if (value === null) memory.delete(key);
  else memory.set(key, value);
}
