import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A caller's key for a request, which makes it repeatable. */
export type IdempotencyKey = {
  readonly key: string;
  readonly bodyHash: Buffer;
  /** The response as JSON; a repeated request gets the same. */
  readonly answer: string;
};

/** Result of a request with a known key: the same body (`replayed`) or another one (`conflict`). */
export type Repetition =
  | { readonly outcome: 'replayed'; readonly answer: string; readonly isUntested: boolean }
  | { readonly outcome: 'conflict' };

type Submitted = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly idempotency?: IdempotencyKey;
};

/** The stored results of these campaigns' keys, by campaign id; free keys are left out. */
export async function findAnswers(
  db: Pick<Database, 'sql'>,
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

/**
 * Deletes up to `limit` of the oldest keys that are older than `days`. Returns how many.
 * @callers scheduler
 */
export async function purgeIdempotencyKeys(
  db: Database,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  const { rowCount } = await db.sql.query(statement('purge-idempotency-keys'), [days, limit]);
  return rowCount ?? 0;
}
