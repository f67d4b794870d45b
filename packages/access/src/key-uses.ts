import type { Clock, Logger } from '@tidings/platform';

/**
 * Records which keys are used, for the dashboard. It runs in the background, never within a
 * request.
 */
export interface KeyUses {
  note(keyId: string): void;
  /**
   * Writes the pending uses. If Postgres is unavailable they are dropped: the next use is as good.
   */
  flush(): Promise<void>;
  stop(): void;
}

const FLUSH_INTERVAL_MS = 5_000;
/** Minimum time between two writes for the same key. */
const WRITE_INTERVAL_MS = 60_000;
const DUE_MAX = 10_000;

export function createKeyUses({
  write,
  clock,
  logger,
}: {
  readonly write: (keyIds: readonly string[], usedAt: number) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}): KeyUses {
  const due = new Set<string>();
  const writtenAt = new Map<string, number>();
  let isWriting = false;

  const flush = async (): Promise<void> => {
    const now = clock.monotonicMs();
    for (const [keyId, at] of writtenAt) if (now - at >= WRITE_INTERVAL_MS) writtenAt.delete(keyId);
    if (isWriting || due.size === 0) return;
    const keyIds = [...due];
    due.clear();
    for (const keyId of keyIds) writtenAt.set(keyId, now);
    isWriting = true;
    try {
      await write(keyIds, clock.now());
    } catch (error) {
      logger.debug({ err: error, keys: keyIds.length }, 'last use of keys not written');
    } finally {
      isWriting = false;
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_INTERVAL_MS);
  timer.unref();

  return {
    note(keyId) {
      if (!writtenAt.has(keyId) && due.size < DUE_MAX) due.add(keyId);
    },
    flush,
    stop: () => clearInterval(timer),
  };
}
