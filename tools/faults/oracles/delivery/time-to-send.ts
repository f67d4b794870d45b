import { campaignOf, type SentPush } from '../../load/delivery/pushes.ts';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';

/**
 * Milliseconds from the first request of each push until its provider had the message. Only pushes
 * to one recipient; unsent ones are omitted. Times of `accepted` are epoch times, those of pushes
 * from `performance.now()`.
 */
export function timesToSend(
  pushes: readonly SentPush[],
  accepted: readonly AcceptedMessage[],
): readonly number[] {
  const firstAt = new Map<string, number>();
  for (const { campaignId, receivedAt } of accepted) {
    if (campaignId !== null)
      firstAt.set(campaignId, Math.min(receivedAt, firstAt.get(campaignId) ?? Infinity));
  }
  return pushes.flatMap((push) => {
    const receivedAt = firstAt.get(campaignOf(push) ?? '');
    const [first] = push.attempts;
    return receivedAt === undefined || first === undefined
      ? []
      : [Math.max(0, receivedAt - performance.timeOrigin - first.sentAt)];
  });
}

/** The smallest value with at most `1 - part` of the values above it. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}
