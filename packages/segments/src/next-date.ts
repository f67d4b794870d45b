import { DATE_MAX_AGE, type DateTrigger } from '@tidings/contracts/automations/calendar';
import { dateInstantMs, nextYearlyReturn } from '@tidings/platform';
import { toMs } from './durations.ts';

/** What is known of the date of a person. */
export type KnownDate = {
  /** When it is to enter them, in milliseconds; null: it has. */
  readonly dueAt: number | null;
  /** By which date it has entered them last; null: it has not. */
  readonly entered: string | null;
};

/** What becomes of it now. */
export type NextDate = KnownDate & {
  /** The instant that enters them now; null: none does. */
  readonly enters: number | null;
};

/**
 * When the date of a person is to enter them; null: not at all. An instant that was known and has come
 * enters, however late; one that becomes known when it is past only within `maxAge`. The same date enters
 * once, also when the time zone of the person changes.
 */
export function nextDate(
  trigger: DateTrigger,
  {
    value,
    timeZone,
    known,
    now,
  }: {
    /** Milliseconds; null: the person has no such date. */
    readonly value: number | null;
    readonly timeZone: string;
    readonly known: KnownDate | null;
    readonly now: number;
  },
): NextDate | null {
  if (value === null) return null;
  const shift = { offset: trigger.offset, time: trigger.at };
  const fromMs = now - toMs(trigger.maxAge ?? DATE_MAX_AGE);
  const cameAt = known?.dueAt != null && known.dueAt <= now ? known.dueAt : null;
  const entered = known?.entered ?? null;
  if (trigger.yearly !== true) {
    const date = String(value);
    if (entered === date) return { dueAt: null, entered, enters: null };
    const at = dateInstantMs(value, shift, timeZone);
    if (at > now) return { dueAt: at, entered, enters: null };
    return at >= fromMs || at === cameAt ? { dueAt: null, entered: date, enters: at } : null;
  }
  const returnFrom = (from: number) => nextYearlyReturn(value, shift, { timeZone, fromMs: from });
  const came = cameAt === null ? null : returnFrom(cameAt);
  const first = came !== null && came.atMs === cameAt ? came : returnFrom(fromMs);
  const next = first.day === entered ? returnFrom(first.atMs + 1) : first;
  return next.atMs > now
    ? { dueAt: next.atMs, entered, enters: null }
    : { dueAt: returnFrom(next.atMs + 1).atMs, entered: next.day, enters: next.atMs };
}
