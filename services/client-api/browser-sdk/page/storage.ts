/**
 * A key-value store, shared by the tabs of an origin. In memory where the browser forbids storage.
 */
export interface Storage {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  remove(name: string): void;
  names(): string[];
}

/** @param prefix separates applications on one origin */
export function openStorage(
  prefix: string,
  local: globalThis.Storage | undefined = findLocal(),
): Storage {
  // Values that the browser did not store: private windows, full quota, disabled storage.
  const memory = new Map<string, string>();
  const quietly = <T>(work: (storage: globalThis.Storage) => T): T | undefined => {
    try {
      return local && work(local);
    } catch {
      return undefined;
    }
  };
  return {
    get: (name) =>
      memory.get(name) ?? quietly((storage) => storage.getItem(prefix + name)) ?? undefined,
    set(name, value) {
      const isKept = quietly((storage) => {
        storage.setItem(prefix + name, value);
        return true;
      });
      if (isKept === true) memory.delete(name);
      else memory.set(name, value);
    },
    remove(name) {
      memory.delete(name);
      quietly((storage) => storage.removeItem(prefix + name));
    },
    names() {
      const kept = quietly((storage) => Object.keys(storage)) ?? [];
      const own = kept
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length));
      return [...new Set([...own, ...memory.keys()])];
    },
  };
}

/** Reading the property throws where storage is forbidden. */
function findLocal(): globalThis.Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
