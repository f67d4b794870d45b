import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT_DIR } from '@tidings/local';

/** A program of a part. */
export type Step = {
  readonly name: string;
  /** Of Node, from the root of the checkout. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Why this machine cannot run it. */
  readonly lacks?: string | null;
};

export type Outcome = 'passed' | 'failed' | 'skipped';

export type StepResult = {
  readonly outcome: Outcome;
  readonly seconds: number;
  /** Its last line, or why it did not end by itself. */
  readonly said: string;
};

/** Time for a program to stop what it has started. */
const STOP_WITHIN_MS = 60_000;
const LINES_KEPT_BYTES = 4_096;

/**
 * Runs a step in a group of processes of its own, which all end with it: after `limitMs`, or when
 * `signal` aborts, they are asked to stop, and later killed.
 */
export async function runStep(
  step: Step,
  {
    limitMs,
    signal,
    stopWithinMs = STOP_WITHIN_MS,
  }: {
    readonly limitMs: number;
    readonly signal: AbortSignal;
    readonly stopWithinMs?: number;
  },
): Promise<StepResult> {
  const { lacks = null } = step;
  if (lacks !== null) return { outcome: 'skipped', seconds: 0, said: lacks };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...step.args], {
    cwd: ROOT_DIR,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...step.env },
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk);
    said = `${said}${chunk.toString()}`.slice(-LINES_KEPT_BYTES);
  });
  const killGroup = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? 0), name);
    } catch {
      // All have ended.
    }
  };
  let stoppedBy: string | null = null;
  let killing: NodeJS.Timeout | undefined;
  const stop = (reason: string): void => {
    if (stoppedBy !== null) return;
    stoppedBy = reason;
    killGroup('SIGTERM');
    killing = setTimeout(() => killGroup('SIGKILL'), stopWithinMs);
  };
  const limit = setTimeout(
    () => stop(`stopped after ${Math.round(limitMs / 60_000)} min`),
    limitMs,
  );
  const interrupt = (): void => stop('interrupted');
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(limit);
  clearTimeout(killing);
  signal.removeEventListener('abort', interrupt);
  killGroup('SIGKILL');
  return {
    outcome: code === 0 && stoppedBy === null ? 'passed' : 'failed',
    seconds: (performance.now() - startedAt) / 1_000,
    said: stoppedBy ?? said.trimEnd().split('\n').at(-1) ?? '',
  };
}
