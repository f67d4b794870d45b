import { Counter, type Logger } from '@tidings/platform';

const freshClientChecks = new Counter({
  name: 'tidings_bus_fresh_client_checks_total',
  help: 'Checks whether a fresh client reaches the broker while a client of this process keeps failing, by result.',
  labelNames: ['result'],
});
const wedgedClients = new Counter({
  name: 'tidings_bus_wedged_clients_total',
  help: 'Clients that kept failing while a fresh client reached the broker; each ended its process.',
  labelNames: ['client'],
});

export type WatchedClient = 'producer' | 'admin';

/** How a client call ended. `answered` includes errors of a broker, which prove the connection. */
export type CallResult = 'answered' | 'failed';

export type WatchdogOptions = {
  readonly logger: Logger;
  /** Resolves if a new client gets a response; closes that client. @throws if it gets none */
  checkFreshClient(topic: string | undefined): Promise<void>;
  /** Called once: the process cannot recover and must end. */
  onWedged(): void;
  readonly bounds?: WatchdogBounds;
  readonly now?: () => number;
};

export type WatchdogBounds = {
  /** A client that failed for this long is compared with a new one. */
  readonly checkAfterMs: number;
  /** Minimum time between two checks for one client. */
  readonly checkEveryMs: number;
  /**
   * A client that failed for this long is stuck, if new clients reached the broker throughout
   * `reachableMs`.
   */
  readonly wedgedAfterMs: number;
  /** Long enough for a client to recover by itself after an outage, which takes seconds. */
  readonly reachableMs: number;
  /** Failures further apart, without a call between them, do not form one continuous failure. */
  readonly idleMs: number;
};

const BOUNDS: WatchdogBounds = {
  checkAfterMs: 30_000,
  checkEveryMs: 5_000,
  wedgedAfterMs: 60_000,
  reachableMs: 25_000,
  idleMs: 60_000,
};

/** Counts how the calls of one client end. */
export interface ClientWatch {
  /** Records the start of a call; the returned function records its end. */
  begin(topic?: string): (result: CallResult) => void;
}

export interface Watchdog {
  watch(client: WatchedClient): ClientWatch;
  /** Stops all checks: the process is ending. */
  stop(): void;
}

/** Watches nothing; for programs that are not restarted when they end. */
export const NO_WATCHDOG: Watchdog = {
  watch: () => ({ begin: () => () => undefined }),
  stop: () => undefined,
};

/** A period without an answered call. */
type Failure = {
  readonly since: number;
  lastAt: number;
  /** Time of the first check of the current run of successes. */
  reachableSince?: number;
  checkedAt?: number;
};

/**
 * Ends a process whose Kafka client is stuck while the broker is reachable. A client can stay stuck
 * as long as its connection stays open, and neither liveness nor readiness detects it. If the
 * broker is unavailable, a new client fails too, and the process stays. At most one new client
 * exists at a time.
 */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { logger, onWedged, bounds = BOUNDS, now = () => performance.now() } = options;
  // Prometheus does not see the increment that creates a series.
  for (const result of ['reached', 'failed']) freshClientChecks.inc({ result }, 0);
  let isChecking = false;
  let hasEnded = false;

  async function isReachable(topic: string | undefined): Promise<boolean> {
    isChecking = true;
    try {
      await options.checkFreshClient(topic);
      freshClientChecks.inc({ result: 'reached' });
      return true;
    } catch {
      freshClientChecks.inc({ result: 'failed' });
      return false;
    } finally {
      isChecking = false;
    }
  }

  function isDue(failure: Failure): boolean {
    if (hasEnded || isChecking) return false;
    return (
      now() - failure.since >= bounds.checkAfterMs &&
      now() - (failure.checkedAt ?? -Infinity) >= bounds.checkEveryMs
    );
  }

  function watch(client: WatchedClient): ClientWatch {
    wedgedClients.inc({ client }, 0);
    let current: Failure | undefined;
    let callsInFlight = 0;

    /** `begunAt`: start of the failed call that triggered the check. */
    async function check(
      failure: Failure,
      begunAt: number,
      topic: string | undefined,
    ): Promise<void> {
      failure.checkedAt = now();
      const isReached = await isReachable(topic);
      if (hasEnded || current !== failure) return;
      if (!isReached) delete failure.reachableSince;
      else if (failure.reachableSince === undefined) failure.reachableSince = now();
      else if (begunAt >= failure.reachableSince && isWedged(failure)) end(failure, topic);
    }

    function isWedged({ since, reachableSince = Infinity }: Failure): boolean {
      return now() - since >= bounds.wedgedAfterMs && now() - reachableSince >= bounds.reachableMs;
    }

    function end({ since }: Failure, topic: string | undefined): void {
      hasEnded = true;
      wedgedClients.inc({ client });
      const failingMs = Math.round(now() - since);
      logger.error(
        { client, topic, failingMs },
        'kafka client is wedged while a fresh one reaches the broker: ending the process',
      );
      onWedged();
    }

    return {
      begin(topic) {
        const begunAt = now();
        if (
          current !== undefined &&
          callsInFlight === 0 &&
          begunAt - current.lastAt > bounds.idleMs
        )
          current = undefined;
        callsInFlight += 1;
        return (result) => {
          callsInFlight -= 1;
          if (result === 'answered') {
            current = undefined;
            return;
          }
          current ??= { since: begunAt, lastAt: begunAt };
          current.lastAt = now();
          if (isDue(current)) void check(current, begunAt, topic);
        };
      },
    };
  }

  return {
    watch,
    stop() {
      hasEnded = true;
    },
  };
}
