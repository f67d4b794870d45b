/** From here on a number is milliseconds, as our API has them: as seconds it is after the year 5138. */
const MILLISECONDS_FROM = 100_000_000_000;

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_AND_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[T ]([01]\d|2[0-3]):([0-5]\d)(:[0-5]\d(?:[.,]\d{1,9})?)?( ?(?:Z|[+-]\d{2}(?::?\d{2})?))?$/i;

/** A moment, or a day, which is the same in every zone. */
export type DateValue = { readonly date: Date; readonly isDay: boolean };

/**
 * A value of the filter `date`: a text in ISO 8601 or as people write dates, or seconds or milliseconds
 * since 1970. A text without a zone is in UTC. Null: it is no date, or one that does not exist.
 * @param now in milliseconds
 */
export function readDate(value: unknown, now: number): DateValue | null {
  if (value === 'now' || value === 'today') return { date: new Date(now), isDay: false };
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value === 'bigint') return fromNumber(Number(value));
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (/^\d+$/.test(text)) return fromNumber(Number(text));
  const iso = DAY.exec(text) ?? DAY_AND_TIME.exec(text);
  return iso === null ? fromWords(text) : fromIso(iso);
}

const fromNumber = (value: number): DateValue | null =>
  ofMoment(Math.abs(value) >= MILLISECONDS_FROM ? value : value * 1_000);

function ofMoment(ms: number): DateValue | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : { date, isDay: false };
}

function fromIso(match: RegExpExecArray): DateValue | null {
  const [, year, month, day, hour, minute, second = ':00', zone = 'Z'] = match;
  const isDay = hour === undefined;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // V8 takes 30 February for 2 March.
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  if (isDay) return { date: midnight, isDay };
  const offset = zone
    .trim()
    .toUpperCase()
    .replace(/^([+-]\d{2}):?(\d{2})?$/, (_offset, hours, minutes = '00') => `${hours}:${minutes}`);
  return ofMoment(
    Date.parse(`${year}-${month}-${day}T${hour}:${minute}${second.replace(',', '.')}${offset}`),
  );
}

const WITH_TIME = /\d:\d/;
/** Those that V8 knows, and behind them a name in parentheses, as `Date` writes it. */
const ZONE =
  / ?(?:\b(?:Z|UTC?|GMT|[ECMP][SD]T)\b(?:[+-]\d{2}:?\d{2})?|[+-]\d{2}:?\d{2}\b)(?: ?\([^()]*\))?$/i;
/** Longer texts are no dates. */
const WORDS_CHARS_MAX = 100;

/**
 * "5 March 2026", "Thu, 05 Mar 2026 10:00:00 +0100". V8 reads nearly any text as some date: one counts
 * if its day and its year stand in the text.
 */
function fromWords(text: string): DateValue | null {
  if (text.length > WORDS_CHARS_MAX) return null;
  const isDay = !WITH_TIME.test(text);
  const written = new Date(`${isDay ? text : text.replace(ZONE, '')} UTC`);
  if (Number.isNaN(written.getTime())) return null;
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  if (![written.getUTCDate(), written.getUTCFullYear()].every((part) => numbers.includes(part)))
    return null;
  if (isDay) return { date: written, isDay };
  return ZONE.test(text) ? ofMoment(Date.parse(text)) : { date: written, isDay };
}
