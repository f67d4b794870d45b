/** A part of a text, as offsets. */
export type Place = { readonly from: number; readonly to: number };

// Control characters below U+0020 may not stand in it.
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y;
const SPACE = /[\t\n\r ]*/y;

/**
 * Where the values of a JSON text stand, by pointer; a member with its key. `stop` is where the text
 * is no JSON any more, null if it is JSON to its end.
 */
export function placesOfJson(text: string): {
  readonly places: ReadonlyMap<string, Place>;
  readonly stop: number | null;
} {
  const places = new Map<string, Place>();
  let at = 0;
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const take = (sign: string): boolean => {
    match(SPACE);
    const isThere = text[at] === sign;
    if (isThere) at += 1;
    return isThere;
  };
  const readMember = (pointer: string): boolean => {
    match(SPACE);
    const from = at;
    const key = match(STRING);
    return key !== '' && take(':') && readValue(`${pointer}/${escape(key)}`, from);
  };
  const readList = (end: string, readItem: (index: number) => boolean): boolean => {
    if (take(end)) return true;
    let index = 0;
    do {
      if (!readItem(index)) return false;
      index += 1;
    } while (take(','));
    return take(end);
  };
  const readValue = (pointer: string, begin?: number): boolean => {
    match(SPACE);
    const from = begin ?? at;
    const isRead = take('{')
      ? readList('}', () => readMember(pointer))
      : take('[')
        ? readList(']', (index) => readValue(`${pointer}/${index}`))
        : (match(STRING) || match(PLAIN)) !== '';
    places.set(pointer, { from, to: at });
    return isRead;
  };
  const isRead = readValue('');
  match(SPACE);
  return { places, stop: isRead && at === text.length ? null : at };
}

/** The part of a pointer for a key as it is written. */
const escape = (key: string): string =>
  (JSON.parse(key) as string).replaceAll('~', '~0').replaceAll('/', '~1');
