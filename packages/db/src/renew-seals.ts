import type { Channel } from '@tidings/contracts';
import type { SecretBox } from '@tidings/platform';
import { channelSealContext } from './channel-settings.ts';
import type { Database } from './database.ts';
import { userTokenSealContext } from './user-token-secrets.ts';
import { webhookSealContext } from './webhooks/secrets.ts';

type Row = { readonly applicationId: string; readonly part: string; readonly sealed: string };

/** Every table with sealed secrets (`sealed_secrets`): which column tells the rows of an application apart, and what each was sealed for. */
const SEALED_TABLES = {
  channel_settings: {
    part: 'channel',
    contextOf: ({ applicationId, part }: Row) => channelSealContext(applicationId, part as Channel),
  },
  webhook_endpoints: {
    part: 'id::text',
    contextOf: ({ applicationId, part }: Row) =>
      webhookSealContext({ applicationId, endpointId: part }),
  },
  user_token_secrets: {
    part: "''",
    contextOf: ({ applicationId }: Row) => userTokenSealContext(applicationId),
  },
} as const;
type SealedTable = keyof typeof SEALED_TABLES;
export const SEALED_TABLE_NAMES = Object.keys(SEALED_TABLES) as SealedTable[];

/** What a pass did: secrets sealed anew, those that somebody changed meanwhile and the next pass looks at, and those that no key at hand opens. */
export type RenewedSeals = {
  readonly renewed: number;
  readonly left: number;
  readonly unreadable: number;
};

const ROWS_PER_STEP = 200;

/**
 * Seals anew, row by row, what an older key sealed: until nothing is left, that key has to stay. It locks nothing, and what
 * is written meanwhile wins. Neither settings nor their versions change. @callers dashboard
 */
export async function renewSeals(
  db: Database,
  box: SecretBox,
  {
    rowsPerStep = ROWS_PER_STEP,
    signal,
  }: { readonly rowsPerStep?: number; readonly signal?: AbortSignal } = {},
): Promise<RenewedSeals> {
  const sum = { renewed: 0, left: 0, unreadable: 0, kept: 0 };
  for (const table of SEALED_TABLE_NAMES) {
    let after: Pick<Row, 'applicationId' | 'part'> | null = {
      applicationId: '00000000-0000-0000-0000-000000000000',
      part: '',
    };
    while (after !== null) {
      signal?.throwIfAborted();
      const rows: readonly Row[] = await readSealed(db, table, { after, limit: rowsPerStep });
      for (const row of rows) sum[await renew(db, box, { table, row })] += 1;
      after = rows.length < rowsPerStep ? null : (rows.at(-1) ?? null);
    }
  }
  return { renewed: sum.renewed, left: sum.left, unreadable: sum.unreadable };
}

async function readSealed(
  db: Database,
  table: SealedTable,
  { after, limit }: { readonly after: Pick<Row, 'applicationId' | 'part'>; readonly limit: number },
): Promise<readonly Row[]> {
  const { part } = SEALED_TABLES[table];
  const { rows } = await db.sql.query<Row>(
    `select application_id as "applicationId", ${part} as part, sealed_secrets as sealed from ${table}
     where sealed_secrets is not null and (application_id, ${part}) > ($1::uuid, $2::text) order by 1, 2 limit $3`,
    [after.applicationId, after.part, limit],
  );
  return rows;
}

async function renew(
  db: Database,
  box: SecretBox,
  { table, row }: { readonly table: SealedTable; readonly row: Row },
): Promise<'kept' | 'renewed' | 'left' | 'unreadable'> {
  const { part, contextOf } = SEALED_TABLES[table];
  let renewed: string | null;
  try {
    renewed = box.renew(row.sealed, contextOf(row));
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
