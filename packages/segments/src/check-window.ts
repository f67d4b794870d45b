import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { EventWindow } from '@tidings/contracts/segments/leaves/parts';
import { checkDuration } from './check-duration.ts';

/** `within`, or `from` and `to` in their order. */
export function checkWindow({ within, from, to }: EventWindow, pointer: string): FieldError[] {
  if (within !== undefined && (from !== undefined || to !== undefined))
    return [{ pointer, code: 'exactly_one_of', expected: 'either within, or from and to' }];
  if (from !== undefined && to !== undefined && from >= to)
    return [{ pointer: `${pointer}/to`, code: 'out_of_range', expected: 'later than from' }];
  return checkDuration(within, `${pointer}/within`);
}
