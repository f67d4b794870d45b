import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { isReported } from '@tidings/contracts/push/campaign-result';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushRequest } from '@tidings/contracts/push/push';
import {
  WINNER_MEASURES,
  winnerAfterMs,
  type StoredWinner,
  type WinnerMeasure,
} from '@tidings/contracts/push/push-winner';
import { isChannel, isObject, type Fields } from './known-message.ts';

const MINUTE_MS = 60_000;
const AFTER_MIN_MS = LIMITS.winnerAfterMinutesMin * MINUTE_MS;
const AFTER_MAX_MS = LIMITS.winnerAfterDaysMax * 1_440 * MINUTE_MS;

/** Faults that the schema does not find. Types are those of the schema. */
export function winnerFaults({ winner, split, sendAtLocal, channel }: Fields): FieldError[] {
  if (!isObject(winner)) return [];
  if (split === undefined || split === null)
    return [{ pointer: '/winner', code: 'invalid_value', expected: 'nothing without a split' }];
  if (sendAtLocal !== undefined && sendAtLocal !== null)
    return [
      { pointer: '/winner', code: 'exactly_one_of', expected: 'either winner or sendAtLocal' },
    ];
  const { by, after } = winner;
  const errors: FieldError[] = [];
  if (isMeasure(by) && isChannel(channel) && !isReported(channel, by))
    errors.push({
      pointer: '/winner/by',
      code: 'invalid_value',
      expected: 'what the channel reports',
    });
  const afterMs = typeof after === 'string' ? winnerAfterMs(after) : Number.NaN;
  if (afterMs < AFTER_MIN_MS || afterMs > AFTER_MAX_MS)
    errors.push({
      pointer: '/winner/after',
      code: 'out_of_range',
      expected: `${LIMITS.winnerAfterMinutesMin}m to ${LIMITS.winnerAfterDaysMax}d`,
    });
  return errors;
}

const isMeasure = (value: unknown): value is WinnerMeasure =>
  (WINNER_MEASURES as readonly unknown[]).includes(value);

/** Null: every recipient gets a template at once. */
export function readWinner({ winner }: Pick<PushRequest, 'winner'>): StoredWinner | null {
  if (winner === undefined || winner === null) return null;
  const { percent, by, after } = winner;
  return { percent, by, after, afterMs: winnerAfterMs(after) };
}
