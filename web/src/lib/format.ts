/** The viewer's own language decides separators; everything else is English. */
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export function formatCount(count: number): string {
  return whole.format(count);
}

/** `1 record`, `1,000 records`. */
export const counted = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** A share of a whole; a little is never shown as nothing, nor almost all as all. */
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

/** A span of time in its two largest units: `412 ms`, `3.2 s`, `4 min 10 s`, `2 d 3 h`. */
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

/** Events in a time as a rate; null where no time went by. */
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
    // A code that the browser does not know is still a code.
    return `${amount} ${currency}`;
  }
}

/** What a Date can hold, or null: a `time` may be any Long. */
export function toDate(at: number | bigint): Date | null {
  const date = new Date(Number(at));
  return Number.isNaN(date.getTime()) ? null : date;
}

/** The instant in the viewer's zone, short: today without the date. */
export function formatTime(at: number | bigint, now: number, timeZone?: string): string {
  const date = toDate(at);
  if (date === null) return `${at} ms`;
  const day = (when: Date): string => when.toLocaleDateString('en-CA', { timeZone });
  const time = date.toLocaleTimeString('en-GB', { timeZone });
  if (day(date) === day(new Date(now))) return time;
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric';
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year, timeZone })}, ${time}`;
}

/** The exact instant for whoever needs it: in the viewer's zone, in UTC, and as the number that the interface has. */
export function formatExactTime(at: number | bigint, timeZone?: string): string {
  const date = toDate(at);
  if (date === null) return `${at} milliseconds since 1970`;
  const local = date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'long', timeZone });
  return `${local}\n${date.toISOString()}\n${at}`;
}

/** How long ago, in one unit. */
export function formatAgo(at: number, now: number): string {
  const passedMs = now - at;
  if (passedMs < 0) return `in ${formatDuration(-passedMs)}`;
  if (passedMs < 10_000) return 'just now';
  if (passedMs < 60_000) return `${Math.floor(passedMs / 1_000)} s ago`;
  const unit = UNITS.find(({ ms }) => passedMs >= ms) ?? UNITS[2];
  return `${Math.floor(passedMs / unit.ms)} ${unit.name} ago`;
}

const ACRONYMS: ReadonlyMap<string, string> = new Map([
  ['api', 'API'],
  ['tls', 'TLS'],
  ['starttls', 'STARTTLS'],
  ['sms_stop', 'SMS stop'],
]);

/** `provider_rejected` as words: `Provider rejected`. */
export function humanize(code: string): string {
  const known = ACRONYMS.get(code);
  if (known !== undefined) return known;
  const words = code
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
