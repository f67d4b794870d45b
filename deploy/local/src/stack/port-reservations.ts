import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One file per reserved port, with the pid of its owner. */
const RESERVATIONS_DIR = join(tmpdir(), 'tidings-ports');

/**
 * Reserves a port for the lifetime of this process. A whole installation starts between the check
 * that a port is free and the listen, so a second installation on the same machine must not get it.
 * False if another living process, or this one, has it.
 */
export function reservePort(port: number): boolean {
  mkdirSync(RESERVATIONS_DIR, { recursive: true });
  const file = join(RESERVATIONS_DIR, String(port));
  if (wasCreated(file)) return true;
  if (isHeld(file)) return false;
  // The previous owner is gone.
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
    // Another user's file, or just deleted: use another port.
    return true;
  }
  // Created just now; its pid is not written yet.
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
