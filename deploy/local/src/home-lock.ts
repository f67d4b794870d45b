import { homeLayout } from './home.ts';
import { makeHomePrivate } from './private-home.ts';
import {
  removeProcessRecord,
  findRunningProcess,
  listRecorded,
  recordProcess,
  stopProcess,
  stopRecorded,
  type ProcessRecord,
} from './stack/process-record.ts';

const OWNER = 'owner';
const STOP_RUNNING_WITHIN_MS = 60_000;

/** Another process is running from this home. */
class HomeInUseError extends Error {
  readonly pid: number;
  constructor(pid: number) {
    super(
      `Tidings is already running from this folder (process ${pid}): stop it with Ctrl-C in its terminal or "kill ${pid}", then start again.`,
    );
    this.name = 'HomeInUseError';
    this.pid = pid;
  }
}

export type HomeLock = {
  /** Processes that a killed owner had left running; they are stopped by now. */
  readonly leftovers: readonly string[];
  release(): void;
};

/**
 * Makes this process the owner of a home, which others cannot read from then on, and stops processes
 * left by a killed owner.
 * @throws HomeInUseError if another owner is alive
 */
export async function lockHome(home: string): Promise<HomeLock> {
  const { ownerDir, runDir } = homeLayout(home);
  const owner = findRunningProcess(ownerDir, OWNER);
  if (owner !== undefined) throw new HomeInUseError(owner.pid);
  makeHomePrivate(home);
  recordProcess(ownerDir, { name: OWNER, pid: process.pid, stopSignal: 'SIGTERM', drainStage: 0 });
  return {
    leftovers: await stopRecorded(runDir),
    release: () => removeProcessRecord(ownerDir, OWNER),
  };
}

/** Stops the owner of this home, if any, and everything it started. */
export async function stopHome(home: string): Promise<void> {
  const { ownerDir, runDir } = homeLayout(home);
  const owner = findRunningProcess(ownerDir, OWNER);
  if (owner !== undefined) await stopProcess(owner, STOP_RUNNING_WITHIN_MS);
  await stopRecorded(runDir);
}

/** The processes of an installation: its owner, and those that the owner started. */
export function listProcesses(home: string): {
  readonly owner: ProcessRecord | undefined;
  readonly started: readonly ProcessRecord[];
} {
  const { ownerDir, runDir } = homeLayout(home);
  return { owner: findRunningProcess(ownerDir, OWNER), started: listRecorded(runDir) };
}

/** True if the owner of this home is gone. */
export function isAbandoned(home: string): boolean {
  return findRunningProcess(homeLayout(home).ownerDir, OWNER) === undefined;
}
