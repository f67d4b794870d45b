import { campaignOf, type SentPush } from '../../load/delivery/pushes.ts';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import type { CpuWaits, Window } from '../cpu-waits.ts';

/** How long one push took from its first request until its provider had the message, and when. */
export type HandOver = { readonly ms: number; readonly window: Window };

/** Of pushes to one recipient; those that no provider has are left out. Times of `accepted` are of the epoch, those of pushes of `performance.now()`. */
export function handOversOf(pushes: readonly SentPush[], accepted: readonly AcceptedMessage[]): readonly HandOver[] {
  const firstAt = new Map<string, number>();
  for (const { campaignId, receivedAt } of accepted) {
    if (campaignId !== null) firstAt.set(campaignId, Math.min(receivedAt, firstAt.get(campaignId) ?? Infinity));
  }
  return pushes.flatMap((push) => {
    const receivedAt = firstAt.get(campaignOf(push) ?? '');
    const from = push.attempts[0]?.sentAt;
    if (receivedAt === undefined || from === undefined) return [];
    const to = receivedAt - performance.timeOrigin;
    return [{ ms: Math.max(0, to - from), window: { from, to: Math.max(from, to) } }];
  });
}

/** The same without the time for which the machine had no CPU for these services. */
export function withoutCpuWaits(handOvers: readonly HandOver[], cpuWaits: Pick<CpuWaits, 'longestMs'>, services: readonly string[]): readonly HandOver[] {
  return handOvers.map(({ ms, window }) => ({ ms: Math.max(0, ms - cpuWaits.longestMs(services, window)), window }));
}

/** The smallest value that at most this part of the values is above. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}
