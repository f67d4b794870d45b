import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A process that we started. Its start time distinguishes it from a later process with the same
 * pid.
 */
export type ProcessRecord = {
  readonly name: string;
  readonly pid: number;
  readonly bornAt: string;
  /** Signal for a graceful stop. */
  readonly stopSignal: NodeJS.Signals;
  /** Processes of lower stages are stopped first. */
  readonly drainStage: number;
};

const POLL_MS = 50;
const STOP_WITHIN_MS = 20_000;

/** Start time of a running process, as reported by the system; undefined if there is none. */
export function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces. After it, the state is the first field and the
    // start time the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return fields[0] === 'Z' ? undefined : `${boot}/${fields[19]}`;
  } catch {
    return process.platform === 'linux' ? undefined : birthByPs(pid);
  }
}

function birthByPs(pid: number): string | undefined {
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() ||
      undefined
    );
  } catch {
    return undefined; // `ps` exits with 1 if there is no such process.
  }
}

/** True if the recorded process is still running. */
function isAlive(record: ProcessRecord): boolean {
  return readStartTime(record.pid) === record.bornAt;
}

/** Records a process in `runDir`, so that a later start can stop it if it was left behind. */
export function recordProcess(runDir: string, process: Omit<ProcessRecord, 'bornAt'>): void {
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const record: ProcessRecord = { ...process, bornAt: readStartTime(process.pid) ?? '' };
  writeFileSync(join(runDir, `${process.name}.json`), JSON.stringify(record), { mode: 0o600 });
}

export function removeProcessRecord(runDir: string, name: string): void {
  rmSync(join(runDir, `${name}.json`), { force: true });
}

/** The record named `name`; undefined if there is none or its process has exited. */
export function findRunningProcess(runDir: string, name: string): ProcessRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(runDir, `${name}.json`), 'utf8')) as ProcessRecord;
    return isAlive(record) ? record : undefined;
  } catch {
    return undefined; // No record, or a partial one whose writer was killed.
  }
}

/** The recorded processes that still run. */
export function listRecorded(runDir: string): readonly ProcessRecord[] {
  return readNames(runDir).flatMap((name) => findRunningProcess(runDir, name) ?? []);
}

/** Stops all recorded processes that still run, stage by stage. Resolves with their names. */
export async function stopRecorded(runDir: string): Promise<readonly string[]> {
  const names = readNames(runDir);
  const records = listRecorded(runDir);
  await inStages(records, (record) => stopProcess(record));
  for (const name of names) removeProcessRecord(runDir, name);
  return records.map(({ name }) => name);
}

/** Runs `action` for all items of one stage in parallel, lowest stage first. */
export async function inStages<T extends { readonly drainStage: number }>(
  items: readonly T[],
  action: (item: T) => Promise<void>,
): Promise<void> {
  const stages = [...new Set(items.map(({ drainStage }) => drainStage))].toSorted((a, b) => a - b);
  for (const stage of stages)
    await Promise.all(items.filter(({ drainStage }) => drainStage === stage).map(action));
}

function readNames(runDir: string): readonly string[] {
  try {
    return readdirSync(runDir)
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length));
  } catch {
    return []; // Nothing was started from here.
  }
}

/** Stops a process; kills it after the timeout. */
export async function stopProcess(
  record: ProcessRecord,
  withinMs: number = STOP_WITHIN_MS,
): Promise<void> {
  signalProcess(record.pid, record.stopSignal);
  // A process that a test has frozen handles no signal until it is thawed.
  signalProcess(record.pid, 'SIGCONT');
  for (const deadline = Date.now() + withinMs; isAlive(record); await delay(POLL_MS)) {
    if (Date.now() > deadline) signalProcess(record.pid, 'SIGKILL');
  }
}

/** Sends a signal; ignores that the process is already gone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
