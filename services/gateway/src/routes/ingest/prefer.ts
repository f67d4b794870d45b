const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
const SPACE = /[ \t]*/y;

/**
 * Whether a `Prefer` header (RFC 7240) asks for lenient handling: accept the valid messages of a
 * batch and reject the others. Unknown preferences and parameters are ignored; of a repeated
 * preference the first counts. Parsing stops at a syntax error: a preference is a wish, never an
 * error.
 */
export function prefersLenient(header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false;
  for (const { name, value } of preferencesOf(String(header))) {
    if (name === 'handling') return value === 'lenient';
  }
  return false;
}

/** Names and values in lower case, up to the first syntax error. */
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
    // A list may contain empty elements.
    const preference = takePair();
    if (preference !== null) yield preference;
    while (skip(';')) takePair();
  } while (skip(','));
}
