import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeProcessRecord, recordProcess, signalProcess } from './process-record.ts';
import { raisePriority } from './raise-priority.ts';

export type ProcessSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives stdout and stderr. One old log is kept when it has grown. */
  readonly logFile: string;
  /** Folder of process records. */
  readonly runDir: string;
  /** Signal for a graceful stop. */
  readonly stopSignal: NodeJS.Signals;
  /** Processes of lower stages are stopped first. */
  readonly drainStage: number;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Programs wait for it: raise its priority; see `raisePriority`. */
  readonly isWaitedFor?: boolean;
};

export interface ManagedProcess {
  readonly pid: number;
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Stops it and resolves when it is gone. After the deadline it is killed by SIGKILL. */
  stop(withinMs: number): Promise<'ended' | 'killed'>;
}

const LOG_BYTES_MAX = 20 * 1024 * 1024;

/**
 * Starts a process in its own process group, so that Ctrl-C reaches only the parent and the drain
 * keeps its order.
 * @throws if the command cannot be started
 */
export async function startProcess(spec: ProcessSpec): Promise<ManagedProcess> {
  const child = await spawnDetached(spec);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${spec.name} has no process id`);
  if (spec.isWaitedFor === true) raisePriority(pid);
  recordProcess(spec.runDir, {
    name: spec.name,
    pid,
    stopSignal: spec.stopSignal,
    drainStage: spec.drainStage,
  });
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      hasEnded = true;
      removeProcessRecord(spec.runDir, spec.name);
      resolve(signal ?? `exit code ${code}`);
    });
  });

  return {
    pid,
    ended,
    hasEnded: () => hasEnded,
    kill: (signal) => {
      if (!hasEnded) signalProcess(pid, signal);
    },
    stop: async (withinMs) => {
      if (hasEnded) return 'ended';
      signalProcess(pid, spec.stopSignal);
      // A process that a test has frozen handles no signal until it is thawed.
      signalProcess(pid, 'SIGCONT');
      const deadline = new AbortController();
      const late = delay(withinMs, 'late' as const, { signal: deadline.signal }).catch(
        () => 'ended' as const,
      );
      const isLate = (await Promise.race([ended, late])) === 'late';
      if (isLate) signalProcess(pid, 'SIGKILL');
      deadline.abort();
      await ended;
      return isLate ? 'killed' : 'ended';
    },
  };
}

async function spawnDetached(spec: ProcessSpec): Promise<ChildProcess> {
  const log = openLog(spec.logFile);
  const child = spawn(spec.command, spec.args, {
    cwd: spec.cwd,
    env: { ...spec.env },
    detached: true,
    stdio: ['ignore', log, log],
    ...spec.owner,
  });
  closeSync(log);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return child;
}

/** The last lines of a log, for an error message. */
export function readLastLines(logFile: string, lines = 15): string {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log)';
  }
}

function openLog(logFile: string): number {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES_MAX) renameSync(logFile, `${logFile}.1`);
  return openSync(logFile, 'a', 0o600);
}
