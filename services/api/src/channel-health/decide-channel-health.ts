import type { RecentOutcomes } from '@tidings/api-spec/channel-health-schema';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';

/** Attempts of a channel that ended alike. */
export type EndedAttempts = {
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
  readonly reason: DeliveryReason | null;
  readonly count: number;
  /** When the first of them ended. */
  readonly at: number;
  /** No later attempt of the channel succeeded. */
  readonly isAfterLastSuccess: boolean;
};

/** Fewer failures in a row may be of one recipient or one message. */
const RUN_MIN = 10;
/** A share of fewer attempts says little. */
const ATTEMPTS_MIN = 20;
const FAILING_SHARE = 0.5;
const DEGRADED_SHARE = 0.1;

/** What the attempts of the last hour say of their channel. */
export function decideChannelHealth(attempts: readonly EndedAttempts[]): RecentOutcomes {
  const run = attempts.filter(({ isAfterLastSuccess }) => isAfterLastSuccess);
  if (countAll(run) >= RUN_MIN) return { state: 'failing', since: firstOf(run), ...summarize(run) };
  const troubled = attempts.filter(isTroubled);
  const all = countAll(attempts);
  const share = all < ATTEMPTS_MIN ? 0 : countAll(troubled) / all;
  const isFailing = share >= FAILING_SHARE;
  return {
    state: isFailing
      ? 'failing'
      : share >= DEGRADED_SHARE
        ? 'degraded'
        : all === 0
          ? 'idle'
          : 'sending',
    since: isFailing ? firstOf(troubled) : null,
    ...summarize(attempts),
  };
}

function summarize(
  attempts: readonly EndedAttempts[],
): Pick<RecentOutcomes, 'attempts' | 'failed' | 'reason' | 'unknown'> {
  const count = (outcome: EndedAttempts['outcome']): number =>
    countAll(attempts.filter((each) => each.outcome === outcome));
  return {
    attempts: countAll(attempts),
    failed: count('failed'),
    unknown: count('unknown'),
    reason: mostFrequentReason(attempts.filter(isTroubled)),
  };
}

const isTroubled = ({ outcome }: EndedAttempts): boolean => outcome !== 'succeeded';
const countAll = (attempts: readonly EndedAttempts[]): number =>
  attempts.reduce((sum, { count }) => sum + count, 0);
const firstOf = (attempts: readonly EndedAttempts[]): number =>
  Math.min(...attempts.map(({ at }) => at));

function mostFrequentReason(attempts: readonly EndedAttempts[]): DeliveryReason | null {
  const sums = new Map<DeliveryReason, number>();
  for (const { reason, count } of attempts)
    if (reason !== null) sums.set(reason, (sums.get(reason) ?? 0) + count);
  return [...sums].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}
