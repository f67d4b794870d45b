import type { SecretBox } from '@tidings/platform';
import type { Database } from './database.ts';

export type EncryptedRow = {
  readonly applicationId: string;
  readonly part: string;
  readonly sealed: string;
};

/** A table with encrypted secrets in `sealed_secrets`. */
export type EncryptedTable = {
  readonly table: string;
  /** SQL of the column that identifies a row within its application, as text. */
  readonly part: string;
  readonly contextOf: (row: EncryptedRow) => string;
};

/**
 * The result of a pass: secrets re-encrypted, secrets skipped because a concurrent update changed
 * them (the next pass retries), and secrets that no current key decrypts.
 */
export type ReencryptionResult = {
  readonly reencrypted: number;
  readonly left: number;
  readonly unreadable: number;
};

const ROWS_PER_STEP = 200;

/**
 * Re-encrypts, row by row, the secrets encrypted with an older key. That key must stay configured
 * until a pass finds none. It takes no locks; concurrent updates win. Settings and their versions
 * do not change.
 * @callers scheduler
 */
export async function reencryptSecrets(
  db: Database,
  box: SecretBox,
  {
    tables,
    rowsPerStep = ROWS_PER_STEP,
    signal,
  }: {
    readonly tables: readonly EncryptedTable[];
    readonly rowsPerStep?: number;
    readonly signal?: AbortSignal;
  },
): Promise<ReencryptionResult> {
  const sum = { reencrypted: 0, left: 0, unreadable: 0, kept: 0 };
  for await (const { table, row } of eachSecret(db, tables, { rowsPerStep, signal }))
    sum[await reencrypt(db, box, { table, row })] += 1;
  return { reencrypted: sum.reencrypted, left: sum.left, unreadable: sum.unreadable };
}

/** Whether there are secrets, and the keys of `box` decrypt one of them. */
export async function findSecret(
  db: Database,
  box: Pick<SecretBox, 'open'>,
  tables: readonly EncryptedTable[],
): Promise<'none' | 'readable' | 'unreadable'> {
  let found: 'none' | 'unreadable' = 'none';
  for await (const { table, row } of eachSecret(db, tables, { rowsPerStep: ROWS_PER_STEP })) {
    try {
      box.open(row.sealed, table.contextOf(row));
      return 'readable';
    } catch {
      found = 'unreadable';
    }
  }
  return found;
}

async function* eachSecret(
  db: Database,
  tables: readonly EncryptedTable[],
  {
    rowsPerStep,
    signal,
  }: { readonly rowsPerStep: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<{ readonly table: EncryptedTable; readonly row: EncryptedRow }> {
  for (const table of tables) {
    let after: Pick<EncryptedRow, 'applicationId' | 'part'> | null = {
      applicationId: '00000000-0000-0000-0000-000000000000',
      part: '',
    };
    while (after !== null) {
      signal?.throwIfAborted();
      const rows: readonly EncryptedRow[] = await readEncrypted(db, table, {
        after,
        limit: rowsPerStep,
      });
      for (const row of rows) yield { table, row };
      after = rows.length < rowsPerStep ? null : (rows.at(-1) ?? null);
    }
  }
}

async function readEncrypted(
  db: Database,
  { table, part }: EncryptedTable,
  {
    after,
    limit,
  }: { readonly after: Pick<EncryptedRow, 'applicationId' | 'part'>; readonly limit: number },
): Promise<readonly EncryptedRow[]> {
  const { rows } = await db.sql.query<EncryptedRow>(
    `select application_id as "applicationId", ${part} as part, sealed_secrets as sealed from ${table}
     where sealed_secrets is not null and (application_id, ${part}) > ($1::uuid, $2::text) order by 1, 2 limit $3`,
    [after.applicationId, after.part, limit],
  );
  return rows;
}

async function reencrypt(
  db: Database,
  box: SecretBox,
  {
    table: { table, part, contextOf },
    row,
  }: { readonly table: EncryptedTable; readonly row: EncryptedRow },
): Promise<'kept' | 'reencrypted' | 'left' | 'unreadable'> {
  let reencrypted: string | null;
  try {
    reencrypted = box.reencrypt(row.sealed, contextOf(row));
  } catch {
    // The reader of the secret reports it. Nothing here could fix it.
    return 'unreadable';
  }
  if (reencrypted === null) return 'kept';
  const { rowCount } = await db.sql.query(
    `update ${table} set sealed_secrets = $4 where application_id = $1 and ${part} = $2 and sealed_secrets = $3`,
    [row.applicationId, row.part, row.sealed, reencrypted],
  );
  return rowCount === 0 ? 'left' : 'reencrypted';
}
