import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One file per reserved port, with the pid of its owner. */
const RESERVATIONS_DIR = join(tmpdir(), 'tidings-reserved-ports');
/** Every user adds files; only their owner deletes them. */
const SHARED_MODE = 0o1777;

/**
 * Reserves a port for the lifetime of this process. A whole installation starts between the check
 * that a port is free and the listen, so a second installation on the same machine, also of another
 * user, must not get it. False if another living process, or this one, has it.
 * @throws if the folder of reservations cannot be written to
 */
export function reservePort(port: number, dir: string = RESERVATIONS_DIR): boolean {
  share(dir);
  const file = join(dir, String(port));
  if (wasCreated(file)) return true;
  if (isHeld(file)) return false;
  // The previous owner is gone.
  return wasDeleted(file) && wasCreated(file);
}

/** Creates the folder for all users. */
function share(dir: string): void {
  if (!succeeds(() => mkdirSync(dir), 'EEXIST')) return;
  // The umask of this process does not apply.
  chmodSync(dir, SHARED_MODE);
}

function wasCreated(file: string): boolean {
  return succeeds(() => writeFileSync(file, String(process.pid), { flag: 'wx' }), 'EEXIST');
}

/** False if the file is another user's. */
function wasDeleted(file: string): boolean {
  return succeeds(() => rmSync(file, { force: true }), 'EPERM');
}

/** False if it fails with that code. @throws every other error */
function succeeds(action: () => void, unless: string): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === unless) return false;
    throw error;
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
