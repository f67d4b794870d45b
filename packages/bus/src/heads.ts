import type { Share } from '@tidings/partitioned-log/shares';

const idOf = ({ topicId, part }: Share): string => `${topicId}/${part}`;

/** Ends of partitions as this process knows them, and those who wait for records behind them. */
export class Heads {
  readonly #next = new Map<string, bigint>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** The partition has all records before `next`. */
  advance(share: Share, next: bigint): void {
    const id = idOf(share);
    if (next <= (this.#next.get(id) ?? -1n)) return;
    this.#next.set(id, next);
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  /**
   * The partition has no record from `next` on, though `known` was: Postgres lost its last commits.
   */
  correct(share: Share, { known, next }: { readonly known: bigint; readonly next: bigint }): void {
    if (this.next(share) === known) this.#next.set(idOf(share), next);
  }

  /** The offset of the next record, as far as known. */
  next(share: Share): bigint {
    return this.#next.get(idOf(share)) ?? 0n;
  }

  /** The topics of those who wait. */
  waitingTopicIds(): number[] {
    return [...new Set([...this.#waiting.keys()].map((id) => Number(id.split('/')[0])))];
  }

  /** Resolves when the partition has all records before `next`, after `timeoutMs`, or on abort. */
  reached(
    share: Share,
    next: bigint,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<void> {
    if (this.next(share) >= next || signal.aborted) return Promise.resolve();
    const id = idOf(share);
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting);
    return new Promise((resolve) => {
      const end = (): void => {
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(id);
        signal.removeEventListener('abort', end);
        clearTimeout(timer);
        resolve();
      };
      const wake = (): void => {
        if (this.next(share) >= next) end();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
      waiting.add(wake);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}
