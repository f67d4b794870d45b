/** GSM 03.38's default alphabet: one septet each. */
const GSM_BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Its extension: an escape and a character, two septets. */
const GSM_EXTENDED = new Set('\f^{}\\[~]|€');

/** Room of one message alone, and of each part of a longer one, whose header takes the rest; in septets or 16-bit units. */
const ROOM = { 'GSM-7': { alone: 160, part: 153 }, 'UCS-2': { alone: 70, part: 67 } } as const;

export type SmsSegments = { readonly encoding: keyof typeof ROOM; readonly segments: number };

/** How a text is cut into the messages that a phone gets, and that are paid for. One sign outside the alphabet of GSM makes all of it UCS-2. */
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

/** As most texts are. */
function isBasic(text: string): boolean {
  for (const sign of text) if (!GSM_BASIC.has(sign)) return false;
  return true;
}

/** A sign of two units is never cut in the middle: where only one is left of a part, it opens the next. */
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
