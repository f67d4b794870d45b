import type { SecretBox } from '@tidings/platform';
import type { Database } from './database.ts';

export type EncryptedRow = {
  readonly applicationId: string;
  readonly part: string;
  readonly sealed: string;
};

/** A table with sealed secrets (`sealed_secrets`): which column tells the rows of an application apart, and what each was sealed for. */
export type EncryptedTable = {
  readonly table: string;
  /** SQL of the column, as text. */
  readonly part: string;
  readonly contextOf: (row: EncryptedRow) => string;
};

/** What a pass did: secrets sealed anew, those that somebody changed meanwhile and the next pass looks at, and those that no key at hand opens. */
export type ReencryptionResult = {
  readonly renewed: number;
  readonly left: number;
  readonly unreadable: number;
};

const ROWS_PER_STEP = 200;

/**
 * Seals anew, row by row, what an older key sealed: until nothing is left, that key has to stay. It locks nothing, and what
 * is written meanwhile wins. Neither settings nor their versions change. @callers scheduler
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
  const sum = { renewed: 0, left: 0, unreadable: 0, kept: 0 };
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
      for (const row of rows) sum[await reencrypt(db, box, { table, row })] += 1;
      after = rows.length < rowsPerStep ? null : (rows.at(-1) ?? null);
    }
  }
  return { renewed: sum.renewed, left: sum.left, unreadable: sum.unreadable };
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
): Promise<'kept' | 'renewed' | 'left' | 'unreadable'> {
  let renewed: string | null;
  try {
    renewed = box.reencrypt(row.sealed, contextOf(row));
  } catch {
    // As everywhere: whoever needs it says so. Nothing here could mend it.
    return 'unreadable';
  }
  if (renewed === null) return 'kept';
  const { rowCount } = await db.sql.query(
    `update ${table} set sealed_secrets = $4 where application_id = $1 and ${part} = $2 and sealed_secrets = $3`,
    [row.applicationId, row.part, row.sealed, renewed],
  );
  return rowCount === 0 ? 'left' : 'renewed';
}
