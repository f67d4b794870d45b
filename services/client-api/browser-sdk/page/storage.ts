/** Texts by name, shared by the tabs of an origin where the browser allows it, else this page's own. */
export interface Storage {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  remove(name: string): void;
  names(): string[];
}

/** @param prefix keeps applications on one origin apart */
export function openStorage(
  prefix: string,
  local: globalThis.Storage | undefined = findLocal(),
): Storage {
  // What the browser would not keep: private windows, a full quota, storage switched off.
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

/** Even asking for it throws where it is forbidden. */
function findLocal(): globalThis.Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
