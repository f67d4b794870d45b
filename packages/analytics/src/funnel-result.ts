import type { Fold } from '@tidings/folds/fold';
import { isOpen, type FunnelTimes } from '@tidings/folds/funnel-state';

export type FunnelStepResult = {
  readonly users: number;
  /** Of those of the first step, and of the step before; null without any. */
  readonly fromStart: number | null;
  readonly fromPrevious: number | null;
  /** Of those who came no further: too late, and still in time. The last step has none. */
  readonly dropped?: number;
  readonly open?: number;
  /** From the step before; null for the first one, and without any. */
  readonly medianMs: number | null;
  readonly p90Ms: number | null;
};

/** Counts some persons of a fold. */
export function countSteps(
  fold: Fold,
  persons: Iterable<number>,
  { steps, windowMs, now }: FunnelTimes,
): FunnelStepResult[] {
  const users = Array.from({ length: steps }, () => 0);
  const open = Array.from({ length: steps }, () => 0);
  const times = Array.from({ length: steps }, (): number[] => []);
  for (const person of persons) {
    const reached = fold.reached(person);
    for (let level = 1; level <= reached; level += 1) {
      users[level - 1] = (users[level - 1] ?? 0) + 1;
      if (level > 1) times[level - 1]?.push(fold.stepMs(person, level));
    }
    if (isOpen(fold, person, { steps, windowMs, now }))
      open[reached - 1] = (open[reached - 1] ?? 0) + 1;
  }
  return users.map((count, index) => {
    const sorted = Float64Array.from(times[index] ?? []).sort();
    const stillOpen = open[index] ?? 0;
    return {
      users: count,
      fromStart: shareOf(count, users[0] ?? 0),
      fromPrevious: shareOf(count, users[Math.max(0, index - 1)] ?? 0),
      ...(index < steps - 1 && {
        dropped: count - (users[index + 1] ?? 0) - stillOpen,
        open: stillOpen,
      }),
      medianMs: quantile(sorted, 0.5),
      p90Ms: quantile(sorted, 0.9),
    };
  });
}

/** In ten thousandths. */
const shareOf = (some: number, of: number): number | null =>
  of === 0 ? null : Math.round((some / of) * 10_000) / 10_000;

/** The least of some values that at least this share of them does not exceed. */
const quantile = (sorted: Float64Array, share: number): number | null =>
  sorted.length === 0 ? null : (sorted[Math.ceil(sorted.length * share) - 1] ?? null);
