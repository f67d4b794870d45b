import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isOpenToAll } from './open-to-all.ts';

/** The account that runs Postgres, which refuses to run as root. */
export type PostgresOwner = {
  /** Absent if this process is not root; Postgres then runs as the same user. */
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
  /** Wraps `command` so that it runs as the owner. */
  wrap(command: readonly [string, ...string[]]): readonly [string, ...string[]];
  /** Changes the owner of `path`. */
  give(path: string): void;
};

/**
 * The Postgres account on a machine where this process is root: the owner of existing data, else
 * `postgres`, else `nobody`. No account is created.
 */
export function postgresOwner(dataDir: string, binary: string): PostgresOwner {
  if (process.getuid?.() !== 0)
    return { ids: undefined, wrap: (command) => command, give: () => undefined };

  const account = existsSync(dataDir)
    ? readOwner(dataDir)
    : (findAccount('postgres') ?? findAccount('nobody'));
  if (account === undefined) {
    throw new Error(
      'Postgres cannot run as root, and this machine has no account "postgres" or "nobody": start as another user, or set DATABASE_URL.',
    );
  }
  const give = (path: string) => chownSync(path, account.uid, account.gid);
  if (isOpenToAll(dirname(dataDir)) && isOpenToAll(dirname(binary)))
    return { ids: account, wrap: (command) => command, give };

  // If the checkout is below a closed folder such as /root, the account needs these capabilities to
  // reach it.
  const capabilities = '+dac_override,+dac_read_search';
  const prefix = [
    'setpriv',
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=${capabilities}`,
    `--ambient-caps=${capabilities}`,
    // Without this bit, access(2), with which Postgres looks for its files, ignores the capability.
    '--securebits=+no_setuid_fixup',
  ] as const;
  return { ids: undefined, wrap: (command) => [...prefix, ...command], give };
}

function readOwner(path: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

function findAccount(name: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) =>
      Number(
        execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
      );
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined; // `id` fails for an unknown account.
  }
}
