import type { Lane } from '@tidings/contracts/channels/channels';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { settleDeliveries, targetKey, type StateChange } from '@tidings/delivery/change-states';
import { releaseClaims, type Fenced } from '@tidings/delivery/claims';
import type { Database } from '@tidings/postgres/database';
import type { ChunkStatements } from './chunk-statements.ts';

type UnsentDependencies = {
  readonly db: Database;
  readonly statements: Record<Lane, Pick<ChunkStatements, 'claimRead'>>;
};

/**
 * Changes the states of rows that are not sent. Those that were only read are claimed first;
 * another worker may have them by now.
 */
export async function changeUnsent(
  { db, statements }: UnsentDependencies,
  { lane, isHeard }: Pick<CampaignToSend, 'lane' | 'isHeard'>,
  { rows, changes }: { readonly rows: readonly Fenced[]; readonly changes: readonly StateChange[] },
): Promise<void> {
  if (changes.length === 0) return;
  const changing = new Set(changes.map(targetKey));
  const own = new Set(
    (await statements[lane].claimRead(rows.filter((row) => changing.has(targetKey(row))))).map(
      targetKey,
    ),
  );
  const settled = changes.filter((change) => own.has(targetKey(change)));
  await settleDeliveries(
    db,
    ['claimed'],
    settled.map((change) => ({ ...change, isHeard })),
  );
}

/**
 * Releases rows that are not sent, due after one delay, or after one each. Rows that were only read
 * and are due now need nothing.
 */
export async function releaseUnsent(
  { db, statements }: UnsentDependencies,
  lane: Lane,
  {
    rows,
    delaysMs,
  }: { readonly rows: readonly Fenced[]; readonly delaysMs: number | readonly number[] },
): Promise<void> {
  const delays = new Map(
    rows.map((row, index) => [
      targetKey(row),
      typeof delaysMs === 'number' ? delaysMs : (delaysMs[index] ?? 0),
    ]),
  );
  const delayOf = (row: Fenced): number => delays.get(targetKey(row)) ?? 0;
  const own = await statements[lane].claimRead(
    rows.filter((row) => row.readUntil === undefined || delayOf(row) > 0),
  );
  await releaseClaims(db, own, own.map(delayOf));
}
