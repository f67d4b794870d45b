import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import {
  localTimeBounds,
  localTimeMs,
  sendTimeExpected,
} from '@tidings/contracts/push/push-schedule';
import { AppError } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { readDatabaseTime } from '@tidings/postgres/database-time';
import type { Fields } from './known-message.ts';

/** When a push is to be sent: at one instant, or at a local time of each recipient. */
export type PushSchedule = { readonly sendAt: number } | { readonly sendAtLocal: string };

/** When a campaign begins. */
export type ResolvedSchedule = {
  readonly sendAt: number;
  readonly sendAtLocal: string | null;
  /** The instant of the last recipients. */
  readonly lastAt: number;
  /** It does not begin at once. */
  readonly isLater: boolean;
  readonly warnings: readonly Warning[];
};

const BOTH = 'at most one of sendAt and sendAtLocal';
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** A campaign that is accepted earlier reaches each zone in time. */
const LEAD_MS = 15 * MINUTE_MS;

/** Faults that need no clock. Types are those of the schema. */
export function scheduleFaults({ sendAt, sendAtLocal }: Fields): FieldError[] {
  if (typeof sendAtLocal !== 'string') return [];
  const pointer = '/sendAtLocal';
  if (sendAt !== undefined && sendAt !== null)
    return [{ pointer, code: 'exactly_one_of', expected: BOTH }];
  return localTimeMs(sendAtLocal) === null
    ? [{ pointer, code: 'invalid_value', expected: 'a local time, YYYY-MM-DDTHH:MM' }]
    : [];
}

/**
 * Compares a schedule with the clock of the database.
 * @throws AppError `validation_failed`
 */
export async function resolveSchedule(
  db: Database,
  schedule: PushSchedule,
): Promise<ResolvedSchedule> {
  const now = await readDatabaseTime(db);
  const isLocal = 'sendAtLocal' in schedule;
  const { first, last } = isLocal
    ? localTimeBounds(localTimeMs(schedule.sendAtLocal) ?? Number.NaN)
    : { first: schedule.sendAt, last: schedule.sendAt };
  const pointer = isLocal ? '/sendAtLocal' : '/sendAt';
  const fault = rangeFault({ first, last, now }, pointer);
  if (fault !== null)
    throw new AppError('validation_failed', 'The time is not valid. Nothing was sent.', {
      errors: [fault],
    });
  return {
    sendAt: first,
    sendAtLocal: isLocal ? schedule.sendAtLocal : null,
    lastAt: last,
    isLater: first > now,
    warnings: isLocal && first < now + LEAD_MS ? [LOCAL_TIME_PASSED] : [],
  };
}

/** A campaign that begins a moment later than it is accepted, so that it can be taken back. */
export async function holdFor(db: Database, holdMs: number): Promise<ResolvedSchedule> {
  const sendAt = (await readDatabaseTime(db)) + holdMs;
  return { sendAt, sendAtLocal: null, lastAt: sendAt, isLater: true, warnings: [] };
}

const LOCAL_TIME_PASSED: Warning = {
  code: 'local_time_passed',
  pointer: '/sendAtLocal',
  detail:
    'In some time zones this time has passed, or passes before the campaign begins. Recipients there get the message at once.',
};

/** The fault of a time that is too late or too far ahead; null if it is neither. */
function rangeFault(
  { first, last, now }: { readonly first: number; readonly last: number; readonly now: number },
  pointer: string,
): FieldError | null {
  const isInRange =
    last >= now - LIMITS.sendLateMinutesMax * MINUTE_MS &&
    first <= now + LIMITS.sendAheadDaysMax * DAY_MS;
  return isInRange ? null : { pointer, code: 'out_of_range', expected: sendTimeExpected(first) };
}
