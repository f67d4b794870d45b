import { setTimeout as delay } from 'node:timers/promises';

export type KeptProcess = {
  readonly name: string;
  /** How the process ended that runs now, once it has. */
  ended(): Promise<string>;
  /** Starts the next one. A start that fails counts as one more death. */
  start(): Promise<void>;
  /** From here on it stays ended. */
  readonly stopping: AbortSignal;
  /** The longest back-off; the usual one when absent. */
  readonly restartCapMs?: number;
  /** Called with a sentence when it dies, for the person at the console. */
  readonly onLine: (line: string) => void;
};

const RESTART_BASE_MS = 250;
const RESTART_CAP_MS = 5_000;
/** One that ran this long did not die of its start: the back-off begins anew. */
const STEADY_AFTER_MS = 10_000;

/** Starts a process again each time it has died, after a back-off that doubles; resolves when it is stopped. */
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
    onLine(`${name} died (${how}): starting it again in ${backoffMs} ms`);
    await delay(backoffMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    await start();
  }
}
