import { createApplication } from '@tidings/accounts/applications';
import { markChannelReady } from '@tidings/accounts/channel-settings';
import { createLogTopics } from '@tidings/install';
import { systemIds } from '@tidings/platform';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { migrate } from '@tidings/postgres/migrate';
import { configureEmail } from '@tidings/testing';
import { writeUsers } from '../rows/write-users.ts';
import type { BenchInstallation } from '../installation/bench-installation.ts';

const STATEMENT_TIMEOUT_MS = 300_000;

export type FreshDatabase = {
  /** One connection with the plans of a worker. */
  readonly worker: Database;
  /** For everything else. */
  readonly db: Database;
  readonly applicationId: string;
  drop(): Promise<void>;
};

/**
 * A new database on the installation's server, as after a first start: no table was ever analyzed.
 * Autovacuum, which would come by after a minute, leaves it alone.
 */
export async function createFreshDatabase(
  { tidings, db: server }: BenchInstallation,
  users: number,
): Promise<FreshDatabase> {
  const name = `fresh_${systemIds.uuid().replaceAll('-', '')}`;
  const url = new URL(tidings.local.databaseUrl);
  url.pathname = name;
  await server.sql.query(`create database ${name}`);
  await migrate(url.href);
  const connect = (isKeyed: boolean): Database =>
    connectDatabase({
      databaseUrl: url.href,
      poolMax: 1,
      applicationName: 'bench',
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      isKeyed,
    });
  const [worker, db] = [connect(true), connect(false)];
  await createLogTopics(db);
  await leaveAlone(db);
  const { applicationId } = await createApplication(db, 'Bench');
  await configureEmail(db, applicationId);
  await markChannelReady(db, { applicationId, channel: 'EMAIL', version: 1 });
  await writeUsers(db, { applicationId, count: users });
  return {
    worker,
    db,
    applicationId,
    async drop() {
      await Promise.all([worker.close(), db.close()]);
      await server.sql.query(`drop database ${name} with (force)`);
    },
  };
}

async function leaveAlone(db: Database): Promise<void> {
  const { rows } = await db.sql.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  for (const { name } of rows)
    await db.sql.query(`alter table ${name} set (autovacuum_enabled = false)`);
}
