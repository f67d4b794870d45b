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

/** Persons of a fold, counted one by one. */
export type StepCounts = {
  add(person: number): void;
  readonly users: readonly number[];
  readonly open: readonly number[];
  /** Of each step: how long those took who reached it. */
  readonly tookMs: readonly (readonly number[])[];
};

/** Begins to count persons of a fold. */
export function createStepCounts(fold: Fold, { steps, windowMs, now }: FunnelTimes): StepCounts {
  const users = Array.from({ length: steps }, () => 0);
  const open = Array.from({ length: steps }, () => 0);
  const tookMs = Array.from({ length: steps }, (): number[] => []);
  return {
    users,
    open,
    tookMs,
    add(person) {
      const reached = fold.reached(person);
      for (let level = 1; level <= reached; level += 1) {
        users[level - 1] = (users[level - 1] ?? 0) + 1;
        if (level > 1) tookMs[level - 1]?.push(fold.stepMs(person, level));
      }
      if (isOpen(fold, person, { steps, windowMs, now }))
        open[reached - 1] = (open[reached - 1] ?? 0) + 1;
    },
  };
}

/** The steps of persons who were counted in parts: each of them in one. */
export function stepsOf(parts: readonly StepCounts[]): FunnelStepResult[] {
  const steps = parts[0]?.users.length ?? 0;
  const sum = (of: 'users' | 'open', index: number): number =>
    parts.reduce((total, part) => total + (part[of][index] ?? 0), 0);
  const users = Array.from({ length: steps }, (_, index) => sum('users', index));
  return users.map((count, index) => {
    const sorted = sortedOf(parts.map(({ tookMs }) => tookMs[index] ?? []));
    const stillOpen = sum('open', index);
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

function sortedOf(parts: readonly (readonly number[])[]): Float64Array {
  const all = new Float64Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.sort();
}

/** In ten thousandths. */
const shareOf = (some: number, of: number): number | null =>
  of === 0 ? null : Math.round((some / of) * 10_000) / 10_000;

/** The least of some values that at least this share of them does not exceed. */
const quantile = (sorted: Float64Array, share: number): number | null =>
  sorted.length === 0 ? null : (sorted[Math.ceil(sorted.length * share) - 1] ?? null);
