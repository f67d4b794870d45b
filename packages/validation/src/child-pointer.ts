/** Callers choose the keys, which can be as long as the body. */
const POINTER_CHARS_MAX = 1_000;

/** The pointer of a field; if its name is too long, the pointer of its object. */
export function childPointer(pointer: string, key: string): string {
  return pointer.length + key.length > POINTER_CHARS_MAX
    ? pointer
    : `${pointer}/${escapePointer(key)}`;
}

export function boundedPointer(pointer: string): string {
  return pointer.length > POINTER_CHARS_MAX
    ? pointer.slice(0, pointer.lastIndexOf('/', POINTER_CHARS_MAX))
    : pointer;
}

/** One reference token of a JSON pointer (RFC 6901). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
