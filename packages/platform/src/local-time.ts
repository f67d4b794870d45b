/**
 * Creating a format costs a hundred times as much as using it. Callers choose the names, so the
 * cache is bounded.
 */
const formats = new Map<string, Intl.DateTimeFormat>();
const FORMATS_MAX = 500;

/** Milliseconds by which a time zone is ahead of UTC at an instant. */
export function offsetMs(atMs: number, timeZone: string): number {
  const parts = getFormat(timeZone).formatToParts(atMs);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = FIELDS.map((type) =>
    Number(parts.find((part) => part.type === type)?.value),
  );
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1_000) * 1_000;
}

/** The local date, `YYYY-MM-DD`. */
export function localDay(atMs: number, timeZone: string): string {
  return new Date(atMs + offsetMs(atMs, timeZone)).toISOString().slice(0, 10);
}

const FIELDS = [
  'year',
  'month',
  'day',
  'hour',
  'minute',
  'second',
] as const satisfies readonly Intl.DateTimeFormatPartTypes[];

function getFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = 'numeric' as const;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  if (formats.size >= FORMATS_MAX) formats.clear();
  formats.set(timeZone, format);
  return format;
}
