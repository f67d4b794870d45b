import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, sep } from 'node:path';
import { isOpenToAll } from '@tidings/local';

/** An unprivileged user, as in the image. */
const UNPRIVILEGED_ID = 65_532;
const PARENTS = [tmpdir(), '/tmp', '/var/tmp'];

export type Ended = { readonly code: number | null; readonly output: string };
export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  output(): string;
};
export type OtherProgram = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Runs programs as an unprivileged user if this process is root, otherwise as the same user. */
export type OtherUser = {
  /** Contains all that its programs read and write. */
  readonly home: string;
  /** Creates a folder below `home`. */
  makeFolder(name: string, options?: { readonly isWritable: boolean }): string;
  /** @throws if the program gets a path outside of `home` */
  start(program: OtherProgram): Started;
};

/**
 * The checkout may be below a folder that other users may not enter, as root's home is. A path into
 * the checkout is therefore an error wherever the checkout is, and whoever runs the test.
 */
export function createOtherUser(prefix: string): OtherUser {
  const home = makeOpenFolder(prefix);
  const who = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
  return {
    home,
    makeFolder(name, { isWritable } = { isWritable: false }) {
      const folder = join(home, name);
      mkdirSync(folder);
      // The umask of this process does not apply.
      chmodSync(folder, isWritable ? 0o777 : 0o755);
      return folder;
    },
    start({ command, args, cwd, env }) {
      const outside = [command, ...args, cwd, ...Object.values(env)].filter(
        (text) => isAbsolute(text) && text !== home && !text.startsWith(home + sep),
      );
      if (outside.length > 0)
        throw new Error(
          `Another user may not be able to read ${outside.join(', ')}: not in ${home}`,
        );
      const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...who });
      const printed: string[] = [];
      child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
      const ended = new Promise<Ended>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, output: printed.join('') }));
      });
      return { child, ended, output: () => printed.join('') };
    },
  };
}

/**
 * Creates a folder that every user may enter. The temporary folder of the user may be closed to
 * others, as `pam_tmpdir` makes it.
 * @throws if all parents are closed
 */
export function makeOpenFolder(prefix: string, parents: readonly string[] = PARENTS): string {
  const parent = parents
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .find(isOpenToAll);
  if (parent === undefined)
    throw new Error(`Other users may enter none of ${parents.join(', ')}: set TMPDIR.`);
  const folder = mkdtempSync(join(parent, prefix));
  chmodSync(folder, 0o755);
  return folder;
}
