import { createHistogram } from 'node:perf_hooks';
import { NO_ANSWER } from './connection.ts';
import type { StreamResult } from './plan.ts';

/** The measured window, by the monotonic clock. */
export type Window = { readonly startsAt: number; readonly endsAt: number };

/** Counts and times the requests of one stream that are due within the window. */
export type Tally = {
  /** Records a request due at `dueAt` that just got a response, or none. */
  answered(dueAt: number, status: number): void;
  /** Records a request that got no connection. */
  unsent(dueAt: number): void;
  result(name: string): StreamResult;
};

const MICROSECONDS = 1000;

export function createTally(window: Window, now: () => number = () => performance.now()): Tally {
  const latency = createHistogram();
  const refused: Record<string, number> = {};
  let due = 0;
  let accepted = 0;
  let acceptedWithin = 0;
  let unanswered = 0;
  let unsent = 0;
  const isWithin = (at: number): boolean => at >= window.startsAt && at < window.endsAt;
  const percentileMs = (percent: number): number =>
    accepted === 0 ? 0 : latency.percentile(percent) / MICROSECONDS;

  return {
    answered(dueAt, status) {
      const at = now();
      const isAccepted = status >= 200 && status < 300;
      // Throughput counts responses by their arrival, since that is the server's work in this time;
      // latency belongs to the request.
      if (isAccepted && isWithin(at)) acceptedWithin += 1;
      if (!isWithin(dueAt)) return;
      due += 1;
      if (isAccepted) {
        accepted += 1;
        latency.record(Math.max(1, Math.round((at - dueAt) * MICROSECONDS)));
      } else if (status === NO_ANSWER) unanswered += 1;
      else refused[status] = (refused[status] ?? 0) + 1;
    },
    unsent(dueAt) {
      if (!isWithin(dueAt)) return;
      due += 1;
      unsent += 1;
    },
    result: (name) => ({
      name,
      due,
      accepted,
      acceptedPerSecond:
        acceptedWithin / ((Math.min(now(), window.endsAt) - window.startsAt) / 1000),
      refused,
      unanswered,
      unsent,
      latency: {
        p50Ms: percentileMs(50),
        p90Ms: percentileMs(90),
        p99Ms: percentileMs(99),
        maxMs: accepted === 0 ? 0 : latency.max / MICROSECONDS,
      },
    }),
  };
}
