import { connectDatabase, type Database } from '@tidings/postgres/database';
import { appendFileSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { homeLayout } from '../home.ts';
import type { StackComponent } from './component.ts';
import { ownerOfPostgres, runPostgres, type PostgresOptions } from './postgres.ts';

/** A synchronous standby: a commit is acknowledged only after it has the commit. */
export interface Standby extends StackComponent {
  /** Promotes it to primary after the old primary has died. */
  promote(): Promise<void>;
}

export type StandbyOptions = PostgresOptions & {
  /** Name of its data, log and process record, and its name on the primary. */
  readonly name: string;
  readonly primary: { readonly name: string; readonly url: string };
};

/**
 * Files of a server process rather than of its data: `postmaster.*` and the content of these
 * folders.
 */
const OWN_FILES = /^(postmaster\..*|(pg_wal|pg_replslot|pg_stat_tmp)\/.*)$/;
const COPIED_WITHIN_MS = 120_000;
const FOLLOWS_WITHIN_MS = 60_000;
const PROMOTED_WITHIN_S = 60;
const POLL_MS = 50;

/**
 * Copies a running Postgres like `pg_basebackup` and starts the copy as a standby. Resolves when
 * every commit waits for it.
 */
export async function startStandby(options: StandbyOptions): Promise<Standby> {
  const { home, name, primary } = options;
  const follower = name.replaceAll('-', '_');
  const to = homeLayout(home).dataDir(name);
  const db = connectDatabase({
    databaseUrl: primary.url,
    poolMax: 1,
    applicationName: 'standby',
    statementTimeoutMs: COPIED_WITHIN_MS,
  });
  try {
    // From here on, the slot keeps the WAL until the copy has read it.
    await db.sql.query('select pg_create_physical_replication_slot($1, true)', [follower]);
    await copyRunning(db, { from: homeLayout(home).dataDir(primary.name), to });
    appendFileSync(
      join(to, 'postgresql.auto.conf'),
      `primary_conninfo = '${primary.url}?application_name=${follower}'\nprimary_slot_name = '${follower}'\n`,
    );
    const part = await runPostgres(options);
    await becomeSynchronous(db, follower).catch(async (error: unknown) => {
      await part.stop();
      throw error;
    });
    return promotable(part);
  } finally {
    await db.close();
  }
}

function promotable(part: StackComponent): Standby {
  return {
    name: part.name,
    url: part.url,
    get pid() {
      return part.pid;
    },
    start: (env) => part.start(env),
    ended: () => part.ended(),
    stop: () => part.stop(),
    kill: (signal) => part.kill(signal),
    async promote() {
      const db = connectDatabase({
        databaseUrl: part.url,
        poolMax: 1,
        applicationName: 'standby',
        statementTimeoutMs: PROMOTED_WITHIN_S * 1_000,
      });
      try {
        const { rows } = await db.sql.query<{ isPromoted: boolean }>(
          'select pg_promote(true, $1) as "isPromoted"',
          [PROMOTED_WITHIN_S],
        );
        if (rows[0]?.isPromoted !== true)
          throw new Error(`the standby was not promoted within ${PROMOTED_WITHIN_S} s`);
      } finally {
        await db.close();
      }
    },
  };
}

async function copyRunning(
  db: Database,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const owner = await ownerOfPostgres(from);
  // A backup must start and end on one connection, hence the transaction.
  const label = await db.transaction(async (sql) => {
    await sql.query("select pg_backup_start('standby', true)");
    await copyFolder('', { from, to, give: owner.give });
    const { rows } = await sql.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    );
    return rows[0]?.labelfile ?? '';
  });
  for (const [file, text] of [
    ['backup_label', label],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(to, file), text, { mode: 0o600 });
    owner.give(join(to, file));
  }
}

type Copying = { readonly from: string; readonly to: string; give(path: string): void };

async function copyFolder(folder: string, copying: Copying): Promise<void> {
  const { from, to, give } = copying;
  await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
  give(join(to, folder));
  for (const entry of await readdir(join(from, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (OWN_FILES.test(path)) continue;
    if (entry.isDirectory()) await copyFolder(path, copying);
    else if (await copyUnlessGone(join(from, path), join(to, path))) give(join(to, path));
  }
}

/** A table may be dropped during the copy; the standby drops it when it replays the WAL. */
async function copyUnlessGone(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function becomeSynchronous(db: Database, follower: string): Promise<void> {
  await db.sql.query(`alter system set synchronous_standby_names = '${follower}'`);
  await db.sql.query('select pg_reload_conf()');
  for (const deadline = Date.now() + FOLLOWS_WITHIN_MS; ; await delay(POLL_MS)) {
    const { rows } = await db.sql.query(
      "select 1 from pg_stat_replication where application_name = $1 and sync_state = 'sync'",
      [follower],
    );
    if (rows.length > 0) return;
    if (Date.now() > deadline)
      throw new Error(`the standby does not follow: see the log of ${follower}`);
  }
}
