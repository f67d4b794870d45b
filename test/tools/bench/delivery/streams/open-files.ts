import { readFileSync } from 'node:fs';

/** Beside its connections a process has stores, logs and its own code open. */
const FILES_BESIDE = 500;

/** @throws when the processes of this shell may not have so many connections open, each of them */
export function checkOpenFiles(connections: number): void {
  const limit = openFilesMax();
  if (limit >= connections + FILES_BESIDE) return;
  throw new Error(
    `${connections} streams need a limit of ${connections + FILES_BESIDE} open files for a process, and it is ${limit} here: raise it first (ulimit -n ${connections + FILES_BESIDE}).`,
  );
}

/** Node takes all that it may have at its start. Where the system does not tell, it is unknown and hence no hindrance. */
function openFilesMax(): number {
  try {
    const [, soft = ''] =
      /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
