import type { EventWindow } from '@tidings/contracts/segments/leaves/parts';
import { toMs } from '../durations.ts';

/** Times later than `after` (null: any) and not later than `until`. */
export type TimeRange = { readonly after: number | null; readonly until: number };

/** The times of a window. What lies ahead of `now` does not count yet. */
export function toTimeRange({ within, from, to }: EventWindow, now: number): TimeRange {
  if (within !== undefined) return { after: now - toMs(within), until: now };
  return {
    after: from === undefined ? null : from - 1,
    until: to === undefined ? now : Math.min(now, to - 1),
  };
}
