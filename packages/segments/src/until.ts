import type {
  PersonDate,
  UntilDate,
  UntilNode,
  UntilTime,
} from '@tidings/contracts/automations/calendar';
import { dateInstantMs, nextLocalTimeMs } from '@tidings/platform';

/** What an `until` needs of a person, as it is now. */
export type UntilAnswer = {
  readonly timeZone: string;
  readonly applicationZone: string;
  /** The date that it names, in milliseconds; null: the person has none. */
  readonly date: number | null;
};

const isDate = (until: UntilTime | UntilDate): until is UntilDate =>
  'attribute' in until || 'field' in until;

/** The date of a person that a node names; null: it names a time of day. */
export const dateOf = ({ until }: UntilNode): PersonDate | null => (isDate(until) ? until : null);

/**
 * Until when a run waits at a node, in milliseconds; null: it has nothing to wait for. A time of day is
 * the one that was chosen when the run came; a date is that of now.
 */
export function instantOf(
  { until }: UntilNode,
  { waitsUntil, now }: { readonly waitsUntil: number | null; readonly now: number },
  { timeZone, applicationZone, date }: UntilAnswer,
): number | null {
  if (isDate(until)) return date === null ? null : dateInstantMs(date, until, timeZone);
  const zone = until.zone === 'application' ? applicationZone : timeZone;
  return waitsUntil ?? nextLocalTimeMs(until, { timeZone: zone, fromMs: now });
}
