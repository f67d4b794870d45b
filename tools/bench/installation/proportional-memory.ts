import { readdirSync, readFileSync } from 'node:fs';

const BYTES_PER_KILOBYTE = 1024;

/**
 * Memory of a process and its children (PSS): what they share counts once, divided among those that
 * share it. NaN on systems other than Linux.
 */
export function readProportionalBytes(processId: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readParent(name) === processId)
    .reduce((sum, name) => sum + (readPss(Number(name)) ?? 0), readOwnProportionalBytes(processId));
}

/** The same without its children. */
export function readOwnProportionalBytes(processId: number): number {
  return readPss(processId) ?? NaN;
}

function readPss(processId: number): number | undefined {
  try {
    const rollup = readFileSync(`/proc/${processId}/smaps_rollup`, 'utf8');
    const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(rollup) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * BYTES_PER_KILOBYTE;
  } catch {
    return undefined;
  }
}

function readParent(name: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    // After the name, which may contain anything: state, parent.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
