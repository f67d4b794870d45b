import { systemClock, type Clock, type Timers } from './clock.ts';
import { withoutTrace } from './tracing/spans.ts';

export type MicroBatcherOptions<Item, Result> = {
  /** Processes all items or throws. Returns the result of each item, in the given order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Whether one item caused the failure of a run. Then the halves are run, until that item fails alone. */
  readonly isOwnFault: (error: unknown) => boolean;
  /** Maximum time that a caller waits, in the queue and for the run together, and its error then. Absent: no limit. */
  readonly deadline?: { readonly ms: number; readonly error: () => Error };
  /** Bounds of one run; a single larger item still runs, alone. Without `bytesMax` only the number counts. */
  readonly itemsMax: number;
  readonly bytesMax?: number;
  /** Maximum concurrent runs (default 1); with more than one, items may overtake each other. */
  readonly runsMax?: number;
  /** Items that must be queued to start a run while another one is in progress (default 1). */
  readonly overlapItemsMin?: number;
  /** Minimum interval between the starts of two runs (default 0). An item after an idle time is not delayed. */
  readonly runIntervalMs?: number | undefined;
  /** Queued items that do not wait for `runIntervalMs` (default `itemsMax`). */
  readonly enoughItems?: number;
  readonly clock?: Clock & Timers;
};

/** Groups the items of concurrent callers into one run. */
export interface MicroBatcher<Item, Result> {
  /**
   * Queues an item. `bytes` is its size. `deadlineMs`, from now, applies if it is shorter than the common deadline.
   * @throws the deadline's `error` (the item may still be processed), the error of `run`, or the error given to `failWaiting`
   */
  add(item: Item, bytes?: number, deadlineMs?: number): Promise<Result>;
  /** Runs an item at once and alone, bypassing the queue. */
  addAlone(item: Item, bytes: number, deadlineMs?: number): Promise<Result>;
  /** Number of queued items. */
  waiting(): number;
  /** Rejects all queued items. */
  failWaiting(error: Error): void;
  /** Resolves when no caller waits and no run is in progress. */
  drain(): Promise<void>;
}

/** The runs of a batcher. */
export type Runs = {
  inProgress: number;
  /** A start is scheduled; callers of the same tick join it. */
  isScheduled: boolean;
  /** The earliest start of the next run, in monotonic ms. */
  nextAt: number;
};

/** Whether to schedule a run for `queued` items now. */
export function canStart(
  queued: number,
  { inProgress, isScheduled }: Readonly<Runs>,
  { runsMax, overlapItemsMin }: { readonly runsMax: number; readonly overlapItemsMin: number },
): boolean {
  return !isScheduled && inProgress < runsMax && queued >= (inProgress === 0 ? 1 : overlapItemsMin);
}

/** How many items from the head of the queue the next run takes: at least one, if there is one. */
export function runSize(
  queue: readonly { readonly bytes: number }[],
  { itemsMax, bytesMax }: { readonly itemsMax: number; readonly bytesMax: number },
): number {
  let count = 0;
  let bytes = 0;
  for (const entry of queue) {
    bytes += entry.bytes;
    if (count > 0 && (count === itemsMax || bytes > bytesMax)) break;
    count += 1;
  }
  return count;
}

/** What to do after a failed run: reject its items, or run its halves to isolate the item at fault. */
export function afterFailure(items: number, isOwnFault: boolean): 'reject' | 'split' {
  return items > 1 && isOwnFault ? 'split' : 'reject';
}

type NewEntry<Item> = { readonly item: Item; readonly bytes: number; readonly deadlineMs: number };

type Entry<Item, Result> = {
  readonly item: Item;
  readonly bytes: number;
  isQueued: boolean;
  readonly isSettled: () => boolean;
  /** Only the first call of `resolve` or `reject` has an effect. */
  resolve(result: Result): void;
  reject(error: Error): void;
};

/**
 * Starts the next run when one ends, with all items queued meanwhile: a lone item is not delayed, and under load many
 * items share a run.
 */
export function createMicroBatcher<Item, Result>(
  options: MicroBatcherOptions<Item, Result>,
): MicroBatcher<Item, Result> {
  return new Batcher(options);
}

class Batcher<Item, Result> implements MicroBatcher<Item, Result> {
  readonly #options: MicroBatcherOptions<Item, Result>;
  readonly #clock: Clock & Timers;
  readonly #bounds: {
    readonly itemsMax: number;
    readonly bytesMax: number;
    readonly runsMax: number;
    readonly overlapItemsMin: number;
  };
  readonly #runIntervalMs: number;
  readonly #enoughItems: number;
  // An array, not a Set: V8 keeps outgrown hash tables alive until old-space GC, with all entries that ever waited.
  readonly #queue: Entry<Item, Result>[] = [];
  readonly #runs: Runs = { inProgress: 0, isScheduled: false, nextAt: 0 };
  /** While a scheduled start waits for the interval. */
  #callOffWait: (() => void) | null = null;
  /** Waiting callers, plus runs in progress. */
  #unfinished = 0;
  readonly #drained: (() => void)[] = [];

  constructor(options: MicroBatcherOptions<Item, Result>) {
    const { itemsMax, bytesMax = Infinity, runsMax = 1, overlapItemsMin = 1 } = options;
    this.#options = options;
    this.#bounds = { itemsMax, bytesMax, runsMax, overlapItemsMin };
    this.#runIntervalMs = options.runIntervalMs ?? 0;
    this.#enoughItems = options.enoughItems ?? itemsMax;
    this.#clock = options.clock ?? systemClock;
  }

  add(item: Item, bytes = 0, deadlineMs = Infinity): Promise<Result> {
    return this.#enter({ item, bytes, deadlineMs }, this.#enqueue);
  }

  addAlone(item: Item, bytes: number, deadlineMs = Infinity): Promise<Result> {
    return this.#enter({ item, bytes, deadlineMs }, this.#runAlone);
  }

  waiting(): number {
    return this.#queue.length;
  }

  failWaiting(error: Error): void {
    for (const entry of this.#queue.slice()) entry.reject(error);
  }

  async drain(): Promise<void> {
    while (this.#unfinished > 0)
      await new Promise<void>((resolve) => void this.#drained.push(resolve));
  }

  #enter(
    { item, bytes, deadlineMs }: NewEntry<Item>,
    begin: (entry: Entry<Item, Result>) => void,
  ): Promise<Result> {
    const { deadline } = this.#options;
    this.#unfinished += 1;
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const settle = (tell: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        cancelDeadline();
        if (entry.isQueued) this.#queue.splice(this.#queue.indexOf(entry), 1);
        tell();
        this.#finish();
      };
      const entry: Entry<Item, Result> = {
        item,
        bytes,
        isQueued: false,
        isSettled: () => isSettled,
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      };
      const cancelDeadline =
        deadline === undefined
          ? () => undefined
          : this.#clock.after(Math.min(deadline.ms, deadlineMs), () =>
              entry.reject(deadline.error()),
            );
      begin(entry);
    });
  }

  readonly #enqueue = (entry: Entry<Item, Result>): void => {
    entry.isQueued = true;
    this.#queue.push(entry);
    this.#schedule();
  };

  readonly #runAlone = (entry: Entry<Item, Result>): void => void this.#run([entry]);

  /** Callers of one event-loop tick share a run, even if none is in progress. */
  #schedule(): void {
    const isEnough = this.#queue.length >= this.#enoughItems;
    if (isEnough && this.#callOffWait !== null) {
      this.#callOffWait();
      this.#callOffWait = null;
      this.#runs.isScheduled = false;
    }
    if (!canStart(this.#queue.length, this.#runs, this.#bounds)) return;
    this.#runs.isScheduled = true;
    const restMs = isEnough ? 0 : this.#runs.nextAt - this.#clock.monotonicMs();
    withoutTrace(() => {
      if (restMs > 0) this.#callOffWait = this.#clock.after(restMs, this.#start);
      else setImmediate(this.#start);
    });
  }

  readonly #start = (): void => {
    this.#runs.isScheduled = false;
    this.#callOffWait = null;
    const entries = this.#take();
    if (entries.length === 0) return;
    this.#runs.nextAt = this.#clock.monotonicMs() + this.#runIntervalMs;
    this.#runs.inProgress += 1;
    void this.#run(entries).then(() => {
      this.#runs.inProgress -= 1;
      this.#schedule();
    });
    this.#schedule();
  };

  #take(): Entry<Item, Result>[] {
    const entries = this.#queue.splice(0, runSize(this.#queue, this.#bounds));
    for (const entry of entries) entry.isQueued = false;
    return entries;
  }

  async #run(entries: readonly Entry<Item, Result>[]): Promise<void> {
    this.#unfinished += 1;
    await runAll(this.#options, entries);
    this.#finish();
  }

  #finish(): void {
    this.#unfinished -= 1;
    if (this.#unfinished === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }
}

/** Never throws: errors go to the callers. One item at fault must not fail the others. */
async function runAll<Item, Result>(
  options: Pick<MicroBatcherOptions<Item, Result>, 'run' | 'isOwnFault'>,
  all: readonly Entry<Item, Result>[],
): Promise<void> {
  const entries = all.filter((entry) => !entry.isSettled());
  if (entries.length === 0) return;
  try {
    const results = await options.run(entries.map(({ item }) => item));
    if (results.length !== entries.length)
      throw new Error(`a run of ${entries.length} items returned ${results.length} results`);
    for (const [index, result] of results.entries()) entries[index]?.resolve(result);
  } catch (cause) {
    if (afterFailure(entries.length, options.isOwnFault(cause)) === 'reject') {
      const error = cause instanceof Error ? cause : new Error('a run failed', { cause });
      for (const entry of entries) entry.reject(error);
      return;
    }
    const middle = Math.ceil(entries.length / 2);
    await runAll(options, entries.slice(0, middle));
    await runAll(options, entries.slice(middle));
  }
}
