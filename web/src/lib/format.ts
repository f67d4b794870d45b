/** Numbers, dates and times follow the viewer's locale. The texts around them are English. */
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export function formatCount(count: number): string {
  return whole.format(count);
}

/** `1 record`, `1,000 records`. */
export const counted = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** A percentage. A share above 0 is never shown as 0 %, and a share below 1 never as 100 %. */
export function formatShare(part: number, total: number): string {
  if (total <= 0) return '–';
  const percent = (part / total) * 100;
  if (part > 0 && percent < 0.1) return '<0.1 %';
  if (part < total && percent > 99.9) return '>99.9 %';
  return `${oneDecimal.format(percent)} %`;
}

const UNITS = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
] as const;

/** A duration in its two largest units: `412 ms`, `3.2 s`, `4 min 10 s`, `2 d 3 h`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 0) return `−${formatDuration(-durationMs)}`;
  if (durationMs < 1_000) return `${whole.format(durationMs)} ms`;
  if (durationMs < 60_000) return `${oneDecimal.format(Math.floor(durationMs / 100) / 10)} s`;
  const at = UNITS.findIndex(({ ms }) => durationMs >= ms);
  const unit = UNITS[at];
  if (unit === undefined) return `${durationMs} ms`;
  const below = UNITS[at + 1] ?? { ms: 1_000, name: 's' };
  const rest = Math.floor((durationMs % unit.ms) / below.ms);
  return rest === 0
    ? `${Math.floor(durationMs / unit.ms)} ${unit.name}`
    : `${Math.floor(durationMs / unit.ms)} ${unit.name} ${rest} ${below.name}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${whole.format(bytes)} B`;
  if (bytes < 1_048_576) return `${oneDecimal.format(bytes / 1_024)} KiB`;
  return `${oneDecimal.format(bytes / 1_048_576)} MiB`;
}

/** A rate per second or minute; null without a count or a duration. */
export function formatRate(count: number, durationMs: number, unit: string): string | null {
  if (durationMs <= 0 || count <= 0) return null;
  const perSecond = (count * 1_000) / durationMs;
  if (perSecond < 0.1) return `${oneDecimal.format(perSecond * 60)} ${unit}/min`;
  return perSecond < 10
    ? `${oneDecimal.format(perSecond)} ${unit}/s`
    : `${whole.format(perSecond)} ${unit}/s`;
}

export function formatMoney(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat(undefined, {
      style: 'currency',
      currency,
      currencyDisplay: 'code',
    }).format(amount);
  } catch {
    // The browser does not know this currency code: show it as it is.
    return `${amount} ${currency}`;
  }
}

/** The date, or null if a Date cannot hold it: a `time` can be any 64-bit integer. */
export function toDate(at: number | bigint): Date | null {
  const date = new Date(Number(at));
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Default: the viewer's locale and time zone. */
type Place = { readonly locale?: string | undefined; readonly timeZone?: string };
const INSTANT = {
  day: 'numeric',
  month: 'short',
  minute: '2-digit',
  second: '2-digit',
} as const;

/** `9:05 AM`, but `09:05`. */
function hourIn(locale?: string): 'numeric' | '2-digit' {
  const known = HOURS.get(locale);
  if (known !== undefined) return known;
  const { hour12 } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions();
  const hour = hour12 === true ? 'numeric' : '2-digit';
  HOURS.set(locale, hour);
  return hour;
}
const HOURS = new Map<string | undefined, 'numeric' | '2-digit'>();

/** An instant with its date, in the viewer's locale and time zone. The year is shown unless it is the current one. */
export function formatTime(at: number | bigint, now: number, place: Place = {}): string {
  const { locale, timeZone } = place;
  const date = toDate(at);
  if (date === null) return `${at} ms`;
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric';
  return date.toLocaleString(locale, { ...INSTANT, hour: hourIn(locale), year, timeZone });
}

/** The day in a time zone, `2026-12-24`. */
const dayOf = (at: number, timeZone: string | undefined): string =>
  new Date(at).toLocaleDateString('en-CA', { timeZone });

/** An instant to the minute: the time of day, with the date unless it is today. */
export const formatClock = (at: number, now: number, place: Place = {}): string =>
  isOneDay(at, now, place) ? clockOf(at, place, {}) : formatDayClock(at, now, place);

/** An instant to the minute, with its date. */
export const formatDayClock = (at: number, _now: number, place: Place = {}): string =>
  clockOf(at, place, { day: 'numeric', month: 'short' });

/** An instant to the minute, with its date, and with its year unless that is the current one. */
export function formatMinute(at: number, now: number, place: Place = {}): string {
  const [year, current] = [at, now].map((each) => dayOf(each, place.timeZone).slice(0, 4));
  return clockOf(at, place, {
    day: 'numeric',
    month: 'short',
    year: year === current ? undefined : 'numeric',
  });
}

/** Whether two instants are on one day. */
export const isOneDay = (one: number, other: number, { timeZone }: Place = {}): boolean =>
  dayOf(one, timeZone) === dayOf(other, timeZone);

const clockOf = (
  at: number,
  { locale, timeZone }: Place,
  day: Intl.DateTimeFormatOptions,
): string =>
  new Date(at).toLocaleString(locale, {
    ...day,
    hour: hourIn(locale),
    minute: '2-digit',
    timeZone,
  });

/** A date and time without a zone, `2026-12-24T09:00`, in the viewer's locale. */
export function formatLocalTime(text: string, now: number, locale?: string): string {
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? text : formatMinute(at, now, { locale, timeZone: 'UTC' });
}

/** The exact instant in the viewer's time zone, in UTC, and in milliseconds as the API returns it. */
export function formatExactTime(at: number | bigint, { locale, timeZone }: Place = {}): string {
  const date = toDate(at);
  if (date === null) return `${at} ms since the Unix epoch`;
  const local = date.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'long', timeZone });
  return `${local}\n${date.toISOString()}\n${at}`;
}

/** The time since or until an instant, in one unit: `3 h ago`, `in 5 min`. */
export function formatAgo(at: number, now: number): string {
  const passedMs = now - at;
  if (passedMs < 0) return `in ${formatDuration(-passedMs)}`;
  if (passedMs < 10_000) return 'just now';
  if (passedMs < 60_000) return `${Math.floor(passedMs / 1_000)} s ago`;
  const unit = UNITS.find(({ ms }) => passedMs >= ms) ?? UNITS[2];
  return `${Math.floor(passedMs / unit.ms)} ${unit.name} ago`;
}

/** An instant in a list, as short as it stays clear: `4 min`, `3 h`, `Yesterday`, `26 Nov`, `26 Nov 2025`. */
export function formatShortTime(at: number, now: number, { locale, timeZone }: Place = {}): string {
  const passedMs = now - at;
  if (passedMs >= 0 && passedMs < 60_000) return 'Now';
  const [day, today] = [dayOf(at, timeZone), dayOf(now, timeZone)];
  if (passedMs > 0 && (passedMs < 6 * 3_600_000 || day === today)) {
    const unit = passedMs < 3_600_000 ? UNITS[2] : UNITS[1];
    return `${Math.floor(passedMs / unit.ms)} ${unit.name}`;
  }
  if (passedMs > 0 && day === dayOf(now - 86_400_000, timeZone)) return 'Yesterday';
  const date = new Date(at);
  const isSameYear = day.slice(0, 4) === today.slice(0, 4);
  return date.toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    year: isSameYear ? undefined : 'numeric',
    timeZone,
  });
}

/** Codes whose own words are not the standard label. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['api', 'API'],
  ['html', 'HTML'],
  ['tls', 'TLS'],
  ['starttls', 'STARTTLS'],
  ['sms_stop', 'SMS stop'],
  ['duplicate_id', 'Duplicate ID'],
  ['suppressed_bounce', 'Bounced earlier'],
  ['suppressed_complaint', 'Marked as spam'],
  ['hashed_only', 'Only a hash on file'],
  ['left_segment', 'Left the audience'],
  ['spend_cap', 'Daily cap reached'],
  ['by_hand', 'Disabled manually'],
]);

/** The label of a code: `Provider rejected` for `provider_rejected`. */
export function humanize(code: string): string {
  const known = LABELS.get(code);
  if (known !== undefined) return known;
  const words = code
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
