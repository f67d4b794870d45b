const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const REPLACEMENT = Buffer.from('\ufffd');

/**
 * Replaces every lone surrogate in valid JSON with U+FFFD and keeps all other bytes. Returns the
 * same buffer if there is none. In UTF-8, JSON can write lone surrogates only as escapes.
 */
export function withoutLoneSurrogates(bytes: Buffer): Buffer {
  // The replacement is shorter than the escape, so the copy never needs more bytes.
  const copy = { bytes: null as Buffer | null, length: 0, read: 0 };
  // Step from escape to escape, so that characters after an escaped backslash are not read as an
  // escape.
  for (let at = nextEscape(bytes, 0); at < bytes.length;) {
    const unit = unitAt(bytes, at);
    const isPair = isHigh(unit) && isLow(unitAt(bytes, at + 6));
    if (!isPair && (isHigh(unit) || isLow(unit))) {
      copy.bytes ??= Buffer.allocUnsafe(bytes.length);
      copy.length += bytes.copy(copy.bytes, copy.length, copy.read, at);
      copy.length += REPLACEMENT.copy(copy.bytes, copy.length);
      copy.read = at + 6;
    }
    at = nextEscape(bytes, at + (isPair ? 12 : 2));
  }
  if (copy.bytes === null) return bytes;
  return copy.bytes.subarray(0, copy.length + bytes.copy(copy.bytes, copy.length, copy.read));
}

/** Not `indexOf`: a body may consist of escapes only, with one call for each. */
function nextEscape(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== BACKSLASH) at += 1;
  return at;
}

/** The code unit of the escape at `start`; -1 for anything else. */
function unitAt(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== BACKSLASH || bytes[start + 1] !== LOWER_U) return -1;
  let unit = 0;
  for (let at = start + 2; at < start + 6; at += 1) unit = unit * 16 + toDigit(bytes[at] ?? 0);
  return unit;
}

/** ASCII order: digits, upper case, lower case. The parser has accepted all of them. */
function toDigit(byte: number): number {
  if (byte <= 0x39) return byte - 0x30;
  return (byte | 0x20) - 0x57;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
