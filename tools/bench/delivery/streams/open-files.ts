import { readFileSync } from 'node:fs';

/** Files that a process has open besides its connections. */
const FILES_BESIDE = 500;

/** @throws if the limit of open files of this shell is too low for that many connections */
export function checkOpenFiles(connections: number): void {
  const limit = openFilesMax();
  if (limit >= connections + FILES_BESIDE) return;
  throw new Error(
    `${connections} streams need a limit of ${connections + FILES_BESIDE} open files per process, but it is ${limit}: run ulimit -n ${connections + FILES_BESIDE} first.`,
  );
}

/** Node raises its limit to the maximum at start. Infinity if the system does not report it. */
function openFilesMax(): number {
  try {
    const [, soft = ''] =
      /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
