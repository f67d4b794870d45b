import { SENT_CHANNELS } from '../../rigs/delivery-proxies.ts';
import { allowAmbiguousAttempts, untilAllSend } from '../delivery/steps.ts';
import type { RollingRun } from '../rolling/rolling-row.ts';
import { noteRecovery, runFor } from '../steps.ts';
import { TWO } from './two.ts';

/** Work of a frozen process that the other one must do before the thaw. */
export type TakeOver = {
  readonly what: string;
  readonly msMax: number;
  /**
   * Makes sure that the process has such work in flight at the freeze. The returned function is called
   * after it.
   */
  prepare?(run: RollingRun): Promise<() => void>;
  /**
   * Milliseconds from the freeze until the other process has done it. Null if it takes much longer
   * than `msMax`.
   * @throws if there was nothing to take over
   */
  measure(
    run: RollingRun,
    options: Pick<TakeOver, 'msMax'> & { readonly other: string },
  ): Promise<number | null>;
};

export type Freeze = {
  /** The least; it lasts until the work is taken over. */
  readonly forMs: number;
  readonly takeOvers: readonly TakeOver[];
};

const WITHIN_MS = 700;
const SENDS_WITHIN_MS = 10_000;

/** Freezes a process at a random time, and thaws it when the other one has taken over its work. */
export async function freeze(
  run: RollingRun,
  name: string,
  { forMs, takeOvers }: Freeze,
): Promise<void> {
  const { supervisor } = run.rig;
  const other = TWO.find((one) => one !== name) ?? '';
  await runFor(run, 0, WITHIN_MS);
  allowAmbiguousAttempts(run, SENT_CHANNELS);
  const prepared = await Promise.all(takeOvers.map(async ({ prepare }) => prepare?.(run)));
  const from = performance.now();
  supervisor.kill(name, 'SIGSTOP');
  for (const release of prepared) release?.();
  try {
    await Promise.all(
      takeOvers.map(async ({ what, msMax, measure }) =>
        noteRecovery(run, { what, msMax, ms: await measure(run, { msMax, other }) }),
      ),
    );
    await runFor(run, Math.max(0, forMs - (performance.now() - from)));
  } finally {
    supervisor.kill(name, 'SIGCONT');
    run.frozen.push({ from, to: performance.now() });
  }
  const thawedAt = performance.now();
  await untilAllSend(run);
  noteRecovery(run, {
    what: 'each channel sends after the thaw',
    ms: performance.now() - thawedAt,
    msMax: SENDS_WITHIN_MS,
  });
}
