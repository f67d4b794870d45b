import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** What a caller names a request by, so that he may repeat it. */
export type IdempotencyKey = {
  readonly key: string;
  readonly bodyHash: Buffer;
  /** What the request is answered, as JSON; a repetition is answered the same. */
  readonly answer: string;
};

/** What became of a request whose key is taken: by the same body, or by another one. */
export type Repetition =
  | { readonly outcome: 'replayed'; readonly answer: string; readonly isUntested: boolean }
  | { readonly outcome: 'conflict' };

type Submitted = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly idempotency?: IdempotencyKey;
};

/** What stands under the keys of these campaigns, by the id of the campaign that was offered; without those that are free. */
export async function findAnswers(
  db: Database,
  campaigns: readonly Submitted[],
): Promise<Map<string, Repetition>> {
  const { rows } = await db.sql.query<{
    id: string;
    body_hash: Buffer;
    answer: string;
    channel_untested: boolean;
  }>(statement('find-answers'), [
    campaigns.map((campaign) => campaign.campaignId),
    campaigns.map((campaign) => campaign.applicationId),
    campaigns.map((campaign) => campaign.idempotency?.key ?? null),
  ]);
  const hashes = new Map(
    campaigns.map((campaign) => [campaign.campaignId, campaign.idempotency?.bodyHash]),
  );
  return new Map(
    rows.map((row): [string, Repetition] => [
      row.id,
      hashes.get(row.id)?.equals(row.body_hash) === true
        ? { outcome: 'replayed', answer: row.answer, isUntested: row.channel_untested }
        : { outcome: 'conflict' },
    ]),
  );
}

/** Forgets the oldest keys that are older than `days`, `limit` at most; returns how many. @callers scheduler */
export async function purgeIdempotencyKeys(
  db: Database,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  const { rowCount } = await db.sql.query(statement('purge-idempotency-keys'), [days, limit]);
  return rowCount ?? 0;
}
