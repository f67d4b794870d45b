import type { BreakerCause } from '@tidings/delivery/open-breakers';
import type { Clock } from '@tidings/platform';
import type { HealthSignal } from './health-signal.ts';

/** So many failures in a row open it … */
const FAILURE_RUN = 10;
/** … or this part of the last results, when there are enough of them and they are not old. */
const FAILURE_RATE = 0.7;
const RESULTS_MIN = 10;
const RESULTS_MAX = 20;
const RESULTS_AGE_MAX_MS = 5 * 60_000;
/**
 * One 429 in twenty is a busy provider; so many in a row are one that wants to be left alone, when they are as many as are
 * still under way. A refusal takes less time than a message that is taken: of twenty sends that begin at once the refused
 * come back first, and would look like a run each time. So many are enough whatever is under way.
 */
const LIMITED_RUN = { min: 3, max: 100 };

const COOL_DOWN = { baseMs: 30_000, capMs: 5 * 60_000 };
const LIMITED_COOL_DOWN = { baseMs: 1_000, capMs: 30_000 };
const RETRY_AFTER_MAX_MS = 3_600_000;
/** Workers that shut together are not to try together. */
const SPREAD = 0.1;
/** While somebody else's probe is under way. */
const PROBE_WAIT_MS = 1_000;

export type BreakerChange =
  | { readonly state: 'open'; readonly cause: BreakerCause; readonly probeInMs: number }
  | { readonly state: 'closed' };

/** Leave to send so many; what was sent by it is told with its epoch, so that results from before a change change nothing. */
export type Permit = { readonly sends: number; readonly epoch: number };

/**
 * Keeps deliveries back from an account that does not work: open after a run or a rate of failures, it lets one through
 * when its time is over, and closes when that one finds the provider at work.
 */
export interface Breaker {
  /** For how long nothing can be sent; 0 when something may. */
  blockedForMs(): number;
  acquire(wanted: number): Permit;
  /** What one send by this leave said, told of each place once; `nothing` when it was not made after all. */
  report(epoch: number, bearing: HealthSignal, retryAfterMs?: number): void;
  /** Somebody was sent to without asking, and it worked. */
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
  /** How often it opened without having closed since. */
  let opens = 0;
  let probeAt = 0;
  let isProbing = false;
  let failureRun = 0;
  let limitedRun = 0;
  /** Places that were given since the last change and are not told of. */
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

  const learn = (bearing: HealthSignal, retryAfterMs?: number): void => {
    if (bearing === 'works') {
      failureRun = limitedRun = 0;
      add(false);
      close();
    } else if (bearing === 'failing') {
      failureRun += 1;
      add(true);
      if (state === 'half_open' || isFailing()) open('failures', retryAfterMs);
    } else if (bearing === 'limited') {
      limitedRun += 1;
      if (state === 'half_open' || isLimiting()) open('rate_limited', retryAfterMs);
    }
  };

  return {
    blockedForMs() {
      if (state === 'open') return Math.max(0, probeAt - clock.monotonicMs());
      return state === 'half_open' && isProbing ? PROBE_WAIT_MS : 0;
    },
    acquire(wanted) {
      if (state === 'closed') {
        inFlight += wanted;
        return { sends: wanted, epoch };
      }
      if (this.blockedForMs() > 0) return { sends: 0, epoch };
      state = 'half_open';
      isProbing = true;
      return { sends: 1, epoch };
    },
    report(of, bearing, retryAfterMs) {
      if (of !== epoch) return;
      isProbing = false;
      inFlight = Math.max(0, inFlight - 1);
      learn(bearing, retryAfterMs);
    },
    close,
  };
}
