import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines of `postmaster.pid` (src/include/utils/pidfile.h of Postgres), from 0. */
const LINE = { startedAt: 2, port: 3, status: 7 } as const;

/**
 * Whether the server of this data folder, started since `startedAt` (milliseconds), accepts
 * connections at the port. Another installation's may answer there, while ours ends because the port
 * is taken.
 */
export function isOwnPostmaster(dataDir: string, port: number, startedAt: number): boolean {
  let lines: string[];
  try {
    lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return false;
  }
  return (
    Number(lines[LINE.port]) === port &&
    lines[LINE.status]?.trim() === 'ready' &&
    // In seconds, and not of a server that was killed.
    Number(lines[LINE.startedAt]) >= Math.floor(startedAt / 1_000)
  );
}
