import type { Duration, FieldError } from '@tidings/contracts';
import { DURATION_MS_MAX, toMs } from './durations.ts';

export function checkDuration(duration: Duration | undefined, pointer: string): FieldError[] {
  return duration !== undefined && toMs(duration) > DURATION_MS_MAX
    ? [{ pointer, code: 'out_of_range', expected: 'at most 3650d' }]
    : [];
}
