import type { BreakerCause } from '@tidings/channel-breakers/open-breakers';
import type { Clock } from '@tidings/platform';
import type { HealthSignal } from './health-signal.ts';

/** The breaker opens after this number of consecutive failures … */
const FAILURE_RUN = 10;
/**
 * … or at this failure rate among the last results, if there are at least `RESULTS_MIN` and none is
 * older than `RESULTS_AGE_MAX_MS`.
 */
const FAILURE_RATE = 0.7;
const RESULTS_MIN = 10;
const RESULTS_MAX = 20;
const RESULTS_AGE_MAX_MS = 5 * 60_000;
/**
 * Open after N consecutive 429s, where N is the number of sends in flight, from 3 to 100. A single
 * 429 means busy, not down. A rejection returns faster than an accepted message: of 20 concurrent
 * sends the rejected ones return first and would always look like a run.
 */
const LIMITED_RUN = { min: 3, max: 100 };

const COOL_DOWN = { baseMs: 30_000, capMs: 5 * 60_000 };
const LIMITED_COOL_DOWN = { baseMs: 1_000, capMs: 30_000 };
const RETRY_AFTER_MAX_MS = 3_600_000;
/** Random spread of the cool-down, so that workers do not probe at the same time. */
const SPREAD = 0.1;
/** Delay of other sends while a probe is in flight. */
const PROBE_WAIT_MS = 1_000;

export type BreakerChange =
  | { readonly state: 'open'; readonly cause: BreakerCause; readonly probeInMs: number }
  | { readonly state: 'closed' };

/**
 * How many sends are allowed. Results are reported with the epoch; results from before a state
 * change are ignored.
 */
export type AllowedSends = { readonly sends: number; readonly epoch: number };

/**
 * Circuit breaker of one account. It opens after a run or a rate of failures. After the cool-down
 * one probe may be sent; its success closes the breaker.
 */
export interface Breaker {
  /** Milliseconds in which nothing may be sent; 0 if a send is allowed. */
  blockedForMs(): number;
  allow(wanted: number): AllowedSends;
  /**
   * Reports the result of one allowed send, exactly once per send; `nothing` if it was not sent.
   */
  report(epoch: number, health: HealthSignal, retryAfterMs?: number): void;
  /** Closes the breaker after a successful test send, which asks no breaker. */
  close(): void;
}

type BreakerTools = {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random?: () => number;
  readonly onChange?: (change: BreakerChange) => void;
};

export function createBreaker({
  clock,
  random = Math.random,
  onChange = () => undefined,
}: BreakerTools): Breaker {
  let state: 'closed' | 'open' | 'half_open' = 'closed';
  let epoch = 0;
  /** Consecutive openings without a close; each doubles the cool-down. */
  let opens = 0;
  let probeAt = 0;
  let isProbing = false;
  let failureRun = 0;
  let limitedRun = 0;
  /** Allowed sends since the last state change that are not reported yet. */
  let inFlight = 0;
  let results: { readonly at: number; readonly isFailure: boolean }[] = [];

  const resetWindow = (): void => {
    epoch += 1;
    isProbing = false;
    failureRun = limitedRun = inFlight = 0;
    results = [];
  };
  const open = (cause: BreakerCause, retryAfterMs?: number): void => {
    const { baseMs, capMs } = cause === 'failures' ? COOL_DOWN : LIMITED_COOL_DOWN;
    const ownMs = Math.min(capMs, baseMs * 2 ** Math.min(opens, 30));
    const waitMs = Math.ceil(
      Math.max(ownMs, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)) * (1 + SPREAD * random()),
    );
    state = 'open';
    opens += 1;
    probeAt = clock.monotonicMs() + waitMs;
    resetWindow();
    onChange({ state, cause, probeInMs: waitMs });
  };
  const close = (): void => {
    if (state === 'closed') return;
    state = 'closed';
    opens = 0;
    resetWindow();
    onChange({ state });
  };
  const add = (isFailure: boolean): void => {
    const now = clock.monotonicMs();
    results.push({ at: now, isFailure });
    while (results.length > RESULTS_MAX || now - (results[0]?.at ?? now) > RESULTS_AGE_MAX_MS)
      results.shift();
  };
  const isFailing = (): boolean =>
    failureRun >= FAILURE_RUN ||
    (results.length >= RESULTS_MIN &&
      results.filter(({ isFailure }) => isFailure).length >= FAILURE_RATE * results.length);
  const isLimiting = (): boolean =>
    limitedRun >= LIMITED_RUN.min && limitedRun >= Math.min(inFlight, LIMITED_RUN.max);

  const learn = (health: HealthSignal, retryAfterMs?: number): void => {
    if (health === 'works') {
      failureRun = limitedRun = 0;
      add(false);
      close();
    } else if (health === 'failing') {
      failureRun += 1;
      add(true);
      if (state === 'half_open' || isFailing()) open('failures', retryAfterMs);
    } else if (health === 'limited') {
      limitedRun += 1;
      if (state === 'half_open' || isLimiting()) open('rate_limited', retryAfterMs);
    }
  };

  return {
    blockedForMs() {
      if (state === 'open') return Math.max(0, probeAt - clock.monotonicMs());
      return state === 'half_open' && isProbing ? PROBE_WAIT_MS : 0;
    },
    allow(wanted) {
      if (state === 'closed') {
        inFlight += wanted;
        return { sends: wanted, epoch };
      }
      if (this.blockedForMs() > 0) return { sends: 0, epoch };
      state = 'half_open';
      isProbing = true;
      return { sends: 1, epoch };
    },
    report(of, health, retryAfterMs) {
      if (of !== epoch) return;
      isProbing = false;
      inFlight = Math.max(0, inFlight - 1);
      learn(health, retryAfterMs);
    },
    close,
  };
}
