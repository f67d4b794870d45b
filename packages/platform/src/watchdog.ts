import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** How often the event loop shows that it turns, and the thread looks. */
const TICK_MS = 500;

export type WatchdogOptions = {
  /** Names the process in the log line. */
  readonly name: string;
  /** Time without a turn of the event loop, after which the process ends. */
  readonly limitMs: number;
  /** The thread has ended, and the process goes on without it. */
  readonly onError: (error: unknown) => void;
};

/**
 * Ends the process by SIGKILL when its event loop has not turned for `limitMs`: no timer and no
 * handler of a signal would. The thread counts its own ticks, so that a process that was frozen and
 * goes on, or whose machine slept, lives. It takes some 10 MiB. Not while a debugger is attached.
 */
export function startWatchdog({ name, limitMs, onError }: WatchdogOptions): void {
  if (debuggerUrl() !== undefined) return;
  const turns = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('./watchdog-thread.mjs', import.meta.url), {
    name: 'tidings-watchdog',
    workerData: { turns, name, tickMs: TICK_MS, ticksMax: Math.ceil(limitMs / TICK_MS) },
    // It has a few numbers.
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
    execArgv: [],
  });
  worker.on('error', onError);
  worker.unref();
  setInterval(() => Atomics.add(turns, 0, 1), TICK_MS).unref();
}
