import { readdirSync, readFileSync } from 'node:fs';

/** On Linux, on all processors supported today. */
const TICKS_PER_SECOND = 100;

type Times = {
  readonly parent: number;
  readonly ownTicks: number;
  readonly ofEndedChildrenTicks: number;
};

/** CPU seconds of a process and its children; NaN on systems other than Linux. */
export function readCpuSeconds(processId: number): number {
  const root = readTimes(processId);
  if (root === undefined) return NaN;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readTimes(Number(name)))
    .filter((times) => times?.parent === processId);
  const ticks = children.reduce(
    (sum, times) => sum + (times?.ownTicks ?? 0),
    root.ownTicks + root.ofEndedChildrenTicks,
  );
  return ticks / TICKS_PER_SECOND;
}

function readTimes(processId: number): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    // After the name, which may contain anything: state, parent, …; fields 12 to 15 are the CPU
    // times.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [own, ended] = [fields.slice(11, 13), fields.slice(13, 15)];
    return { parent: fields[1] ?? NaN, ownTicks: sumOf(own), ofEndedChildrenTicks: sumOf(ended) };
  } catch {
    return undefined;
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
