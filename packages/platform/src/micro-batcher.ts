import { systemClock, type Clock, type Timers } from './clock.ts';
import { withoutTrace } from './tracing/spans.ts';

export type MicroBatcherOptions<Item, Result> = {
  /** Does all of them or throws; what became of each, in the order given. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Whether it is some item's own fault that a run failed: then halves are tried until it is alone. */
  readonly isOwnFault: (error: unknown) => boolean;
  /** How long a caller waits at most, queue and run together, and what it gets then. Without, it waits for as long as `run` takes. */
  readonly deadline?: { readonly ms: number; readonly error: () => Error };
  /** Bounds of one run; a single larger item still goes, alone. Without `bytesMax` only the number counts. */
  readonly itemsMax: number;
  readonly bytesMax?: number;
  /** Runs under way at a time; more than one gives up the order of items. */
  readonly runsMax?: number;
  /** While a run is under way another begins for so many items or more: fewer wait for it to end. Without, one is enough. */
  readonly overlapItemsMin?: number;
  /** The least time between the starts of two runs. An item that comes after a pause never waits for it. */
  readonly runIntervalMs?: number | undefined;
  readonly clock?: Clock & Timers;
};

/** Gathers the items of concurrent callers into one run. */
export interface MicroBatcher<Item, Result> {
  /**
   * `bytes` is the item's size; its own deadline, in ms from now, counts where it is sooner than everybody's, if there is one.
   * @throws what the deadline's `error` gives (the item may still be done), what `run` throws, or what `failWaiting` was given
   */
  add(item: Item, bytes?: number, deadlineMs?: number): Promise<Result>;
  /** The same beside the queue: at once and alone. */
  addAlone(item: Item, bytes: number, deadlineMs?: number): Promise<Result>;
  /** Items whose run has not begun. */
  waiting(): number;
  failWaiting(error: Error): void;
  /** Resolves when no caller waits and no run is under way. */
  drain(): Promise<void>;
}

type NewEntry<Item> = {
  readonly item: Item;
  readonly bytes: number;
  readonly deadlineMs?: number | undefined;
};

type Entry<Item, Result> = {
  readonly item: Item;
  readonly bytes: number;
  isQueued: boolean;
  readonly isSettled: () => boolean;
  /** Only the first call of the two counts. */
  resolve(result: Result): void;
  reject(error: Error): void;
};

/**
 * The next run begins when one ends, with whatever has gathered: a lone item waits for nobody, and a thousand a second
 * share some runs.
 */
export function createMicroBatcher<Item, Result>(
  options: MicroBatcherOptions<Item, Result>,
): MicroBatcher<Item, Result> {
  const {
    deadline,
    itemsMax,
    bytesMax = Infinity,
    runsMax = 1,
    overlapItemsMin = 1,
    runIntervalMs = 0,
    clock = systemClock,
  } = options;
  // A list: the tables that a Set outgrows refer to those that come after them, and the first that has grown old keeps all
  // that ever waited until the old part of the heap is collected.
  const queue: Entry<Item, Result>[] = [];
  /** Callers who wait, and runs under way. */
  let unfinished = 0;
  const drained: (() => void)[] = [];
  let runs = 0;
  let isScheduled = false;
  let nextRunAt = 0;

  function finish(): void {
    unfinished -= 1;
    if (unfinished === 0) for (const resolve of drained.splice(0)) resolve();
  }

  async function finishing(run: Promise<void>): Promise<void> {
    unfinished += 1;
    await run;
    finish();
  }

  function enter(
    { item, bytes, deadlineMs = Infinity }: NewEntry<Item>,
    begin: (entry: Entry<Item, Result>) => void,
  ): Promise<Result> {
    unfinished += 1;
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const settle = (tell: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        callOff();
        if (entry.isQueued) queue.splice(queue.indexOf(entry), 1);
        tell();
        finish();
      };
      const entry: Entry<Item, Result> = {
        item,
        bytes,
        isQueued: false,
        isSettled: () => isSettled,
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      };
      const callOff =
        deadline === undefined
          ? () => undefined
          : clock.after(Math.min(deadline.ms, deadlineMs), () => entry.reject(deadline.error()));
      begin(entry);
    });
  }

  /** Callers of one turn of the event loop share a run, even when none is under way. */
  function schedule(): void {
    if (isScheduled || runs >= runsMax || queue.length < (runs === 0 ? 1 : overlapItemsMin)) return;
    isScheduled = true;
    const restMs = nextRunAt - clock.monotonicMs();
    withoutTrace(() => (restMs > 0 ? clock.after(restMs, start) : setImmediate(start)));
  }

  function start(): void {
    isScheduled = false;
    const entries = take();
    if (entries.length === 0) return;
    nextRunAt = clock.monotonicMs() + runIntervalMs;
    runs += 1;
    void finishing(runAll(options, entries)).then(() => {
      runs -= 1;
      schedule();
    });
    schedule();
  }

  function take(): Entry<Item, Result>[] {
    let count = 0;
    let bytes = 0;
    for (const entry of queue) {
      bytes += entry.bytes;
      if (count > 0 && (count === itemsMax || bytes > bytesMax)) break;
      entry.isQueued = false;
      count += 1;
    }
    return queue.splice(0, count);
  }

  return {
    add: (item, bytes = 0, deadlineMs) =>
      enter({ item, bytes, deadlineMs }, (entry) => {
        entry.isQueued = true;
        queue.push(entry);
        schedule();
      }),
    addAlone: (item, bytes, deadlineMs) =>
      enter({ item, bytes, deadlineMs }, (entry) => void finishing(runAll(options, [entry]))),
    waiting: () => queue.length,
    failWaiting(error) {
      for (const entry of queue.slice()) entry.reject(error);
    },
    async drain() {
      while (unfinished > 0) await new Promise<void>((resolve) => void drained.push(resolve));
    },
  };
}

/** Never throws: every caller is told. One item at fault must not take the others with it. */
async function runAll<Item, Result>(
  options: Pick<MicroBatcherOptions<Item, Result>, 'run' | 'isOwnFault'>,
  all: readonly Entry<Item, Result>[],
): Promise<void> {
  const entries = all.filter((entry) => !entry.isSettled());
  if (entries.length === 0) return;
  try {
    const results = await options.run(entries.map(({ item }) => item));
    if (results.length !== entries.length)
      throw new Error(`a run of ${entries.length} items told of ${results.length}`);
    for (const [index, result] of results.entries()) entries[index]?.resolve(result);
  } catch (cause) {
    if (entries.length === 1 || !options.isOwnFault(cause)) {
      const error = cause instanceof Error ? cause : new Error('a run failed', { cause });
      for (const entry of entries) entry.reject(error);
      return;
    }
    const middle = Math.ceil(entries.length / 2);
    await runAll(options, entries.slice(0, middle));
    await runAll(options, entries.slice(middle));
  }
}
