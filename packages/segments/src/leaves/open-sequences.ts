import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import type { EventWindow } from '@tidings/contracts/segments/leaves/parts';
import { toMs } from '../durations.ts';
import type { OpenSequence } from './leaf.ts';

type EventCondition = LeafOf<'event'>;

/**
 * Of a question about an event that does not follow in time: the users with one of the first events
 * so recent that it may still follow. Of two such questions none: a condition cannot ask for both.
 */
export function openSequences(
  node: EventCondition,
  now: number,
): readonly OpenSequence<EventCondition>[] {
  const { count: _count, sum: _sum, notFollowedBy, neverFollowedBy, ...first } = node;
  const step = notFollowedBy ?? neverFollowedBy;
  if (step?.in === undefined || (notFollowedBy !== undefined && neverFollowedBy !== undefined))
    return [];
  const { in: time, ...next } = step;
  const { within: _within, from: _from, ...rest } = first;
  return [
    {
      key: notFollowedBy === undefined ? 'neverFollowedBy' : 'notFollowedBy',
      condition: { ...rest, ...recent(first, toMs(time), now), notFollowedBy: next },
    },
  ];
}

/** The last milliseconds of a window. */
function recent({ within, from }: EventWindow, ms: number, now: number): EventWindow {
  if (within !== undefined && toMs(within) <= ms) return { within };
  return { from: Math.max(from ?? -Infinity, now - ms + 1) };
}
