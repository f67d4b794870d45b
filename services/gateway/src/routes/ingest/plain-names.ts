/** A name as it stands in a body, and what it stands for. */
export type Named = { readonly name: Buffer };

/** Finds names in bytes without making strings of them. */
export interface NameTable<T extends Named> {
  /** What the bytes from `start` to `end` name, if they are one of the table's. */
  find(bytes: Uint8Array, start: number, end: number): T | undefined;
}

/** @throws Error when two of the names have one hash, which shows when the module is loaded */
export function createNameTable<T extends Named>(entries: readonly T[]): NameTable<T> {
  const byHash = new Map(entries.map((entry) => [hashOf(entry.name, 0, entry.name.length), entry]));
  if (byHash.size < entries.length) throw new Error('two names have one hash');
  return {
    find(bytes, start, end) {
      const entry = byHash.get(hashOf(bytes, start, end));
      return entry !== undefined &&
        entry.name.length === end - start &&
        isSame(entry.name, bytes, start)
        ? entry
        : undefined;
    },
  };
}

/** Its length and three of its letters: enough to tell the names of a table apart, as `createNameTable` sees to. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length === 0) return 0;
  return (
    ((length & 0xff) << 24) |
    ((bytes[start] ?? 0) << 16) |
    ((bytes[start + (length >> 1)] ?? 0) << 8) |
    (bytes[end - 1] ?? 0)
  );
}

function isSame(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let offset = 0; offset < name.length; offset += 1)
    if (name[offset] !== bytes[start + offset]) return false;
  return true;
}
