import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A process we started, told apart from a later one with the same number by the moment it was born. */
export type ProcessRecord = {
  readonly name: string;
  readonly pid: number;
  readonly bornAt: string;
  /** Asks it to end in order. */
  readonly stopSignal: NodeJS.Signals;
  /** Those of a lower stage are gone before it is asked to end. */
  readonly drainStage: number;
};

const POLL_MS = 50;
const STOP_WITHIN_MS = 20_000;

/** The moment of a living process's birth, as the system tells it; undefined when there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the state is the first field after it, the start time the twentieth.
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
    return undefined; // `ps` ends with 1 when there is no such process.
  }
}

/** Whether the recorded process still lives. */
export function isAlive(record: ProcessRecord): boolean {
  return startTimeOf(record.pid) === record.bornAt;
}

/** Notes a process in `runDir`, so that a later start can stop it if nobody did. */
export function recordProcess(runDir: string, process: Omit<ProcessRecord, 'bornAt'>): void {
  mkdirSync(runDir, { recursive: true });
  const record: ProcessRecord = { ...process, bornAt: startTimeOf(process.pid) ?? '' };
  writeFileSync(join(runDir, `${process.name}.json`), JSON.stringify(record));
}

export function removeProcessRecord(runDir: string, name: string): void {
  rmSync(join(runDir, `${name}.json`), { force: true });
}

/** The record called `name`, or undefined when there is none or its process has ended. */
export function findRunningProcess(runDir: string, name: string): ProcessRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(runDir, `${name}.json`), 'utf8')) as ProcessRecord;
    return isAlive(record) ? record : undefined;
  } catch {
    return undefined; // No record, or one cut short by the death of its writer.
  }
}

/** Stops every recorded process that still lives, stage by stage, however it was left behind; resolves with their names. */
export async function stopRecorded(runDir: string): Promise<readonly string[]> {
  const names = readNames(runDir);
  const records = names.flatMap((name) => findRunningProcess(runDir, name) ?? []);
  await inStages(records, (record) => stopProcess(record));
  for (const name of names) removeProcessRecord(runDir, name);
  return records.map(({ name }) => name);
}

/** Does `action` to all of one stage at a time, the lowest first. */
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
    return []; // Nothing was ever started from here.
  }
}

/** Asks a process to end, and after a while makes it. */
export async function stopProcess(
  record: ProcessRecord,
  withinMs: number = STOP_WITHIN_MS,
): Promise<void> {
  signalProcess(record.pid, record.stopSignal);
  // A process that a test has frozen sees no signal until it goes on.
  signalProcess(record.pid, 'SIGCONT');
  for (const deadline = Date.now() + withinMs; isAlive(record); await delay(POLL_MS)) {
    if (Date.now() > deadline) signalProcess(record.pid, 'SIGKILL');
  }
}

/** Sends a signal; a process that is already gone is as good as signalled. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
