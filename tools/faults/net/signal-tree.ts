import { execFileSync } from 'node:child_process';

/**
 * Signals a process and its descendants: Postgres has a process per connection, each in its own
 * session.
 */
export function signalTree(rootPid: number, signal: NodeJS.Signals): void {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const children = Map.groupBy(
    lines.map((line) => line.trim().split(/\s+/).map(Number)),
    ([, parent]) => parent,
  );
  const visit = (pid: number): void => {
    try {
      process.kill(pid, signal);
    } catch {
      return; // It has exited meanwhile.
    }
    for (const [child] of children.get(pid) ?? []) if (child !== undefined) visit(child);
  };
  visit(rootPid);
}
