/** What this browser keeps. Where storage is forbidden, it keeps it until the page is left. */

const memory = new Map<string, string>();

/** What belongs to the user: a window of another user has its own. */
const PERSONAL = new Set(["token", "name", "mine", "registered", "blocked"]);

/** Whether this window is somebody else's than the browser's others. */
export const apart = (): boolean => read(sessionStorageOf(), "wrong_channel") !== null;

function place(key: string): Storage | null {
  return PERSONAL.has(key) && apart() ? sessionStorageOf() : localStorageOf();
}

export function load(key: string): string | null {
  return read(place(key), key);
}

export function save(key: string, value: string | null): void {
  write(place(key), key, value);
}

/** What only this window keeps, also when it is loaded again. */
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
  } catch {} // full: it is forgotten with the window
  if (storage) return;
  if (value === null) memory.delete(key);
  else memory.set(key, value);
}
