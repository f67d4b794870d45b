import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file for each port that a process was given, with its pid in it. */
const RESERVATIONS_DIR = join(tmpdir(), 'tidings-ports');

/**
 * Takes a port for this process, for as long as it lives. Between the moment that a port was found free and the moment
 * that somebody listens there lies the start of a whole installation: another one on the same machine must not be given it.
 * False where this or another living process has it.
 */
export function reservePort(port: number): boolean {
  mkdirSync(RESERVATIONS_DIR, { recursive: true });
  const file = join(RESERVATIONS_DIR, String(port));
  if (wasCreated(file)) return true;
  if (isHeld(file)) return false;
  // Whoever had it is gone.
  rmSync(file, { force: true });
  return wasCreated(file);
}

function wasCreated(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function isHeld(file: string): boolean {
  let pid: number;
  try {
    pid = Number(readFileSync(file, 'utf8'));
  } catch {
    // Of another user, or gone just now: there are other ports.
    return true;
  }
  // Not written yet: made this very moment.
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
