import { Type } from 'typebox';
import { LIMITS } from '../limits.ts';
import { looksLikeSeconds } from '../ingest/seconds.ts';

/** A date and time without a zone. */
export const LOCAL_TIME = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$';

/** The fields of a push that is sent later. */
export const PUSH_SCHEDULE_FIELDS = {
  sendAt: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      format: 'int64',
      description: 'milliseconds since the epoch, at most 366 days ahead',
    }),
  ),
  sendAtLocal: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      pattern: LOCAL_TIME,
      description: 'a local time, YYYY-MM-DDTHH:MM, in the time zone of each recipient',
    }),
  ),
};

/** When a campaign is sent, if not at once. */
export type CampaignSchedule = {
  /** When it begins, in milliseconds: of a local time the instant of the first time zone. */
  readonly sendAt: number;
  /** The time of each recipient's own zone; null: all get it at `sendAt`. */
  readonly sendAtLocal: string | null;
  /** Recipients whose local time had passed when the campaign began: they got it at once. */
  readonly localTimePassed: number;
};

const HOUR_MS = 3_600_000;
/** Of all time zones: Pacific/Kiritimati and Etc/GMT+12. */
const FIRST_ZONE_HOURS = 14;
const LAST_ZONE_HOURS = 12;

/** A local time as if it were UTC, in milliseconds; null if there is no such day or time. */
export function localTimeMs(text: string): number | null {
  const ms = Date.parse(`${text}:00.000Z`);
  // February 30 would be March 2.
  return Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text) ? null : ms;
}

/** The instants at which the first and the last time zone have this local time. */
export const localTimeBounds = (
  localMs: number,
): { readonly first: number; readonly last: number } => ({
  first: localMs - FIRST_ZONE_HOURS * HOUR_MS,
  last: localMs + LAST_ZONE_HOURS * HOUR_MS,
});

/**
 * What a time outside the range of scheduled sends should be. For people who read neither JSON nor
 * the API, so the unit is named only if it is the likely mistake.
 * @param sendAt milliseconds since the epoch
 */
export const sendTimeExpected = (sendAt: number): string =>
  `a time between ${LIMITS.sendLateMinutesMax} minutes ago and ${LIMITS.sendAheadDaysMax} days ahead` +
  (looksLikeSeconds(sendAt) ? ', in milliseconds since 1970' : '');
