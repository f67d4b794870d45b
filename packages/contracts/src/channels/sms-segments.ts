/** The default alphabet of GSM 03.38: one septet per character. */
const GSM_BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Its extension table: an escape and a character, two septets. */
const GSM_EXTENDED = new Set('\f^{}\\[~]|€');

/**
 * Capacity of a single message, and of each part of a longer one, which also has a header; in
 * septets or 16-bit units.
 */
const ROOM = { 'GSM-7': { alone: 160, part: 153 }, 'UCS-2': { alone: 70, part: 67 } } as const;

export type SmsSegments = { readonly encoding: keyof typeof ROOM; readonly segments: number };

/**
 * Splits a text into SMS segments, which are billed. One character outside the GSM alphabet makes
 * the whole text UCS-2.
 */
export function smsSegments(text: string): SmsSegments {
  if (text.length <= ROOM['GSM-7'].alone && isBasic(text))
    return { encoding: 'GSM-7', segments: 1 };
  const signs = Array.from(text);
  const isGsm = signs.every((sign) => GSM_BASIC.has(sign) || GSM_EXTENDED.has(sign));
  const encoding = isGsm ? 'GSM-7' : 'UCS-2';
  const units = signs.map((sign) =>
    isGsm && !GSM_EXTENDED.has(sign) ? 1 : isGsm ? 2 : sign.length,
  );
  const { alone, part } = ROOM[encoding];
  const total = units.reduce<number>((sum, unit) => sum + unit, 0);
  return { encoding, segments: total <= alone ? 1 : countParts(units, part) };
}

/** The common case. */
function isBasic(text: string): boolean {
  for (const sign of text) if (!GSM_BASIC.has(sign)) return false;
  return true;
}

/**
 * A character of two units is never split: if one unit is left in a part, the character starts the
 * next part.
 */
function countParts(units: readonly number[], room: number): number {
  let parts = 1;
  let used = 0;
  for (const unit of units) {
    if (used + unit > room) {
      parts += 1;
      used = 0;
    }
    used += unit;
  }
  return parts;
}
