import { MIGRATIONS_DIR } from '@tidings/database/files';
import { homeLayout, lockHome, prepareStores, ROOT_DIR, startStack } from '@tidings/local';
import { createLogger } from '@tidings/platform';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createTenant } from '../installation/tenants.ts';
import { ROW_COUNTS, type RowCounts, type RowsName } from './row-counts.ts';
import { writeDeliveries } from './write-deliveries.ts';
import { writeMessageKeys } from './write-message-keys.ts';
import { writeUsers } from './write-users.ts';

const FOLDER = join(ROOT_DIR, '.tidings', 'bench', 'rows');
/** Stores that this program did not start are neither filled nor copied. */
const NO_STORES = {
  DATABASE_URL: undefined,
  PUBLIC_DATABASE_URL: undefined,
  KAFKA_BROKERS: undefined,
  REDIS_URL: undefined,
};
const KEPT_MS = 14 * 24 * 3_600_000;
const STATEMENT_TIMEOUT_MS = 600_000;

/** A home folder whose Postgres has the rows, to copy; and the application that they belong to. */
export type KeptRows = {
  readonly home: string;
  readonly applicationId: string;
  readonly counts: RowCounts;
};

/** The rows of an earlier run if the migrations are the same; otherwise writes them. */
export async function keepRows(name: Exclude<RowsName, 'none'>): Promise<KeptRows> {
  const counts = ROW_COUNTS[name];
  const home = join(FOLDER, `${name}-${fingerprint()}`);
  if (!isUsable(home)) await make(home, { name, counts });
  const applicationId = readFileSync(applicationFile(home), 'utf8');
  return { home, applicationId, counts };
}

const applicationFile = (home: string): string => join(home, 'application-id');

/** After some weeks the retention of the copies would delete the rows during a measurement. */
function isUsable(home: string): boolean {
  const writtenAt = statSync(applicationFile(home), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - writtenAt < KEPT_MS;
}

/** Changes with the migrations, and with the programs that write the rows. */
function fingerprint(): string {
  const hash = createHash('sha256');
  for (const folder of [MIGRATIONS_DIR, import.meta.dirname])
    for (const file of readdirSync(folder).toSorted())
      hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 12);
}

async function make(
  home: string,
  { name, counts }: { readonly name: string; readonly counts: RowCounts },
): Promise<void> {
  console.error(`Writing rows to keep: ${JSON.stringify(counts)} …`);
  const making = join(FOLDER, `${name}.making`);
  mkdirSync(making, { recursive: true });
  const lock = await lockHome(making);
  rmSync(homeLayout(making).dataDir(''), { recursive: true, force: true });
  try {
    const stack = await startStack({
      home: making,
      env: { ...process.env, ...NO_STORES },
      isDurable: false,
      hasUsualPorts: false,
      // The benches use Kafka, and the database says so.
      has: { kafka: true, redis: false },
    });
    try {
      await prepareStores(stack, { logger: createLogger('bench', 'error') });
      writeFileSync(applicationFile(making), await writeRows(stack.databaseUrl, counts));
    } finally {
      await stack.stop();
    }
  } finally {
    lock.release();
  }
  const { dataDir, logDir } = homeLayout(making);
  for (const path of [dataDir('kafka'), logDir]) rmSync(path, { recursive: true, force: true });
  // Those of older migrations are of no use any more.
  for (const old of readdirSync(FOLDER))
    if (old.startsWith(`${name}-`)) rmSync(join(FOLDER, old), { recursive: true });
  renameSync(making, home);
}

async function writeRows(databaseUrl: string, counts: RowCounts): Promise<string> {
  const db = connectDatabase({
    databaseUrl,
    poolMax: 2,
    applicationName: 'bench',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const { applicationId } = await createTenant(db, { name: 'Bench' });
    await step(`${counts.users} users`, () =>
      writeUsers(db, { applicationId, count: counts.users }),
    );
    await step(`${counts.deliveries} deliveries`, () =>
      writeDeliveries(db, { applicationId, count: counts.deliveries, users: counts.users }),
    );
    await step(`${counts.messageKeys} message keys`, () =>
      writeMessageKeys(db, { applicationId, count: counts.messageKeys }),
    );
    await step('statistics', () => settle(db));
    return applicationId;
  } finally {
    await db.close();
  }
}

/** Hint bits, visibility map and statistics, as in tables that grew slowly; all on disk. */
async function settle(db: Database): Promise<void> {
  await db.sql.query('vacuum analyze');
  await db.sql.query('checkpoint');
}

async function step(title: string, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  await work();
  console.error(`  ${title}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}
