/** Bytes of a line, its soft break not counted (RFC 2045, 6.7: at most 76 with it). */
const LINE_BYTES_MAX = 75;
const SOFT_BREAK = '=\r\n';

const [TAB, LF, CR, SPACE, DOT, EQUALS] = [9, 10, 13, 32, 46, 61] as const;
const HEX = Buffer.from('0123456789ABCDEF');
/** Some servers write `>` before a line that begins so, which breaks signatures. */
const MBOX_START = Buffer.from('From ');
/** A byte takes at most three, and a soft break follows 73 bytes at the earliest. */
const GROWTH = 3.2;

/**
 * Text as quoted-printable whose form nothing on the way changes: line ends are CRLF, no line begins with a dot (it would
 * be doubled on the wire) or with `From `, none ends in white space, and white space is never more than one space (relaxed canonicalisation
 * of DKIM keeps it). So the bytes of the message, of the wire and of the signature's hash are the same.
 *
 * Begins at the start of a line.
 * @param options.isOpen whether the text goes on after it: then the result ends at the start of a line, by a soft break
 */
export function encodeText(text: string, { isOpen }: { readonly isOpen: boolean }): string {
  const bytes = Buffer.from(text.replaceAll(/\r\n|\r|\n/g, '\n'), 'utf8');
  const out = Buffer.allocUnsafe(Math.ceil(bytes.length * GROWTH) + SOFT_BREAK.length);
  let end = 0;
  let column = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === LF) {
      out[end++] = CR;
      out[end++] = LF;
      column = 0;
      continue;
    }
    let isPlain = isPlainAt(bytes, at, byte);
    if (column + (isPlain ? 1 : 3) > LINE_BYTES_MAX) {
      end += out.write(SOFT_BREAK, end, 'latin1');
      column = 0;
    }
    if (column === 0 && isPlain) isPlain = !isUnsafeAtLineStart(bytes, at);
    if (isPlain) out[end++] = byte;
    else {
      out[end++] = EQUALS;
      out[end++] = HEX[byte >> 4] as number;
      out[end++] = HEX[byte & 15] as number;
    }
    column += isPlain ? 1 : 3;
  }
  if (isOpen && column > 0) end += out.write(SOFT_BREAK, end, 'latin1');
  return out.toString('latin1', 0, end);
}

function isUnsafeAtLineStart(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  if (byte === MBOX_START[0]) return bytes.subarray(at, at + MBOX_START.length).equals(MBOX_START);
  return byte === DOT || byte === SPACE;
}

/** Whether a byte stands for itself. A space does inside of a line, beside no other white space. */
function isPlainAt(bytes: Buffer, at: number, byte: number): boolean {
  if (byte !== SPACE) return byte > SPACE && byte < 127 && byte !== EQUALS;
  const [before, after] = [bytes[at - 1] ?? LF, bytes[at + 1] ?? LF];
  return before !== SPACE && before !== TAB && before !== LF && after !== LF;
}

/** A value that needs no encoding on a line of its own. */
const PLAIN_VALUE = /^(?![. ]|From )(?:[!-<>-~]| (?=[!-<>-~]))*$/;

/**
 * A value of any text on lines of its own, so that its length never moves the text around it.
 * Starts and ends at the start of a line.
 */
export function encodeValue(value: string): string {
  if (value.length < LINE_BYTES_MAX && PLAIN_VALUE.test(value))
    return value === '' ? '' : value + SOFT_BREAK;
  return encodeText(value, { isOpen: true });
}

/**
 * A printable ASCII value on lines of its own, so that its length never moves the text around it.
 * Starts at the start of a line and ends in a soft break.
 */
export function encodeHole(value: string): string {
  const escaped = value.includes('=') ? value.replaceAll('=', '=3D') : value;
  let encoded = '';
  let at = 0;
  while (at < escaped.length) {
    const isDot = escaped.charCodeAt(at) === DOT;
    let end = Math.min(escaped.length, at + LINE_BYTES_MAX - (isDot ? 2 : 0));
    // An escape is not split over two lines.
    if (end < escaped.length) {
      if (escaped.charCodeAt(end - 1) === EQUALS) end -= 1;
      else if (escaped.charCodeAt(end - 2) === EQUALS) end -= 2;
    }
    encoded += (isDot ? `=2E${escaped.slice(at + 1, end)}` : escaped.slice(at, end)) + SOFT_BREAK;
    at = end;
  }
  return encoded;
}
