const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
const SPACE = /[ \t]*/y;

/**
 * Whether a `Prefer` header (RFC 7240) asks for lenient handling: that messages without faults are accepted although
 * others of the batch have some. Other preferences and all parameters are passed over; of a preference that is named
 * twice the first counts. What is not a preference ends the reading: it is a wish, never an error.
 */
export function prefersLenient(header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false;
  for (const { name, value } of preferencesOf(String(header))) {
    if (name === 'handling') return value === 'lenient';
  }
  return false;
}

/** Names and values in lower case, as far as the text can be read. */
function* preferencesOf(
  text: string,
): Generator<{ readonly name: string; readonly value: string }> {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const skip = (character: string): boolean => {
    take(SPACE);
    if (text[at] !== character) return false;
    at += 1;
    take(SPACE);
    return true;
  };
  const takePair = (): { readonly name: string; readonly value: string } | null => {
    const name = take(TOKEN)?.[0];
    if (name === undefined) return null;
    const value = skip('=')
      ? (take(QUOTED)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? take(TOKEN)?.[0] ?? '')
      : '';
    return { name: name.toLowerCase(), value: value.toLowerCase() };
  };

  do {
    // An empty element of a list is allowed.
    const preference = takePair();
    if (preference !== null) yield preference;
    while (skip(';')) takePair();
  } while (skip(','));
}
