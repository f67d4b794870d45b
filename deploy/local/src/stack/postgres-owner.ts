import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** As whom Postgres runs: it refuses to run as root. */
export type PostgresOwner = {
  /** Absent when we are not root and Postgres simply runs as we do. */
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
  /** The command that runs `command` as the owner. */
  wrap(command: readonly [string, ...string[]]): readonly [string, ...string[]];
  /** Makes the owner own `path`. */
  give(path: string): void;
};

/** The account for a machine where we are root: that of existing data, else `postgres`, else `nobody`. None is made. */
export function postgresOwner(dataDir: string, binary: string): PostgresOwner {
  if (process.getuid?.() !== 0)
    return { ids: undefined, wrap: (command) => command, give: () => undefined };

  const account = existsSync(dataDir)
    ? ownerOf(dataDir)
    : (accountOf('postgres') ?? accountOf('nobody'));
  if (account === undefined) {
    throw new Error(
      'Postgres does not run as root and this machine has no account "postgres" or "nobody": start as another user, or set DATABASE_URL.',
    );
  }
  const give = (path: string) => chownSync(path, account.uid, account.gid);
  if (isOpenToAll(dirname(dataDir)) && isOpenToAll(dirname(binary)))
    return { ids: account, wrap: (command) => command, give };

  // A checkout under a closed folder such as /root or one of mktemp: the account may pass it only with a capability of ours.
  const capabilities = '+dac_override,+dac_read_search';
  const prefix = [
    'setpriv',
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=${capabilities}`,
    `--ambient-caps=${capabilities}`,
    // Without it access(2), by which Postgres looks for its own files, ignores the capability.
    '--securebits=+no_setuid_fixup',
  ] as const;
  return { ids: undefined, wrap: (command) => [...prefix, ...command], give };
}

function ownerOf(path: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

function accountOf(name: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) =>
      Number(
        execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
      );
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined; // `id` fails for an account that does not exist.
  }
}

/** Whether every account may pass through a folder and those above it. */
function isOpenToAll(folder: string): boolean {
  const OTHERS_MAY_PASS = 0o001;
  if (existsSync(folder) && (statSync(folder).mode & OTHERS_MAY_PASS) === 0) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}
