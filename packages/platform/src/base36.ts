const DIGITS = /^[0-9a-z]+$/i;
const BITS_OF_DIGIT = Math.log2(36);
const BASE = 36n;

/**
 * Encodes bytes as digits and lower-case letters, for systems that ignore letter case. The length
 * depends only on the number of bytes.
 */
export function toBase36(bytes: Uint8Array): string {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
    .toString(36)
    .padStart(countDigits(bytes.length), '0');
}

/** Decodes base 36 in any letter case; null if the text does not encode `byteCount` bytes. */
export function fromBase36(text: string, byteCount: number): Buffer | null {
  if (text.length !== countDigits(byteCount) || !DIGITS.test(text)) return null;
  let value = 0n;
  for (const digit of text) value = value * BASE + BigInt(Number.parseInt(digit, 36));
  const hex = value.toString(16).padStart(byteCount * 2, '0');
  return hex.length > byteCount * 2 ? null : Buffer.from(hex, 'hex');
}

const countDigits = (byteCount: number): number => Math.ceil((byteCount * 8) / BITS_OF_DIGIT);
