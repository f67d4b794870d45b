import { setTimeout as delay } from 'node:timers/promises';

export type KeptProcess = {
  readonly name: string;
  /** Resolves with the exit reason of the current process. */
  ended(): Promise<string>;
  /** Starts the next process. A failed start counts as another exit. */
  start(): Promise<void>;
  /** Once aborted, the process is not restarted. */
  readonly stopping: AbortSignal;
  /** Maximum back-off; the default when absent. */
  readonly restartCapMs?: number;
  /** Called with a message for the console when the process exits. */
  readonly onLine: (line: string) => void;
};

const RESTART_BASE_MS = 250;
const RESTART_CAP_MS = 5_000;
/** A process that ran this long did not fail at start: the back-off is reset. */
const STEADY_AFTER_MS = 10_000;

/**
 * Restarts a process each time it exits, with exponential back-off. Resolves when it is stopped.
 */
export async function keepRunning({
  name,
  ended,
  start,
  stopping,
  restartCapMs = RESTART_CAP_MS,
  onLine,
}: KeptProcess): Promise<void> {
  let deaths = 0;
  for (let startedAt = Date.now(); ; startedAt = Date.now()) {
    const how = await ended();
    if (stopping.aborted) return;
    deaths = Date.now() - startedAt > STEADY_AFTER_MS ? 1 : deaths + 1;
    const backoffMs = Math.min(restartCapMs, RESTART_BASE_MS * 2 ** (deaths - 1));
    onLine(`${name} exited (${how}); restarting in ${backoffMs} ms`);
    await delay(backoffMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    await start();
  }
}
