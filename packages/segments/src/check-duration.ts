import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { Duration } from '@tidings/contracts/segments/leaves/parts';
import { DURATION_MS_MAX, toMs } from './durations.ts';

export function checkDuration(duration: Duration | undefined, pointer: string): FieldError[] {
  return duration !== undefined && toMs(duration) > DURATION_MS_MAX
    ? [{ pointer, code: 'out_of_range', expected: 'at most 3650d' }]
    : [];
}
