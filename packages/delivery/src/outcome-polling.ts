import type { Channel } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A delivery whose outcome is unknown, with what its provider can be asked by. */
export type UnknownDelivery = {
  readonly deliveryId: string;
  readonly fence: number;
  readonly applicationId: string;
  readonly campaignId: string;
  readonly testAddress: string | null;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
  /** It cannot have been sent before. Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Nor after this. */
  readonly unknownSince: number;
  /** Other deliveries of the application whose outcome is open and that could be taken for this one: same channel, number and message. */
  readonly rivals: number;
  /** Of its campaign, where that is traced. */
  readonly traceparent?: string;
};

export type PollTimes = {
  /** Callbacks come first: nothing is asked before this time. */
  readonly afterMs: number;
  /** Between two questions about one delivery. */
  readonly intervalMs: number;
  /** What nobody knows by then stays unknown. */
  readonly untilMs: number;
};

/** Deliveries to ask the provider about, each taken by one worker at a time. @callers channel-worker */
export async function takeUnknownDeliveries(
  db: Database,
  channel: Channel,
  { afterMs, intervalMs, untilMs }: PollTimes,
): Promise<UnknownDelivery[]> {
  const { rows } = await db.sql.query<UnknownRow>(statement('take-unknown-deliveries'), [
    channel,
    afterMs,
    intervalMs,
    untilMs,
  ]);
  return rows.map((row) => ({
    deliveryId: row.id,
    fence: row.fence,
    applicationId: row.application_id,
    campaignId: row.campaign_id,
    testAddress: row.test_address,
    profile: row.profile,
    message: row.message,
    createdAt: row.created_at.getTime(),
    unknownSince: row.updated_at.getTime(),
    rivals: row.rivals,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  }));
}

type UnknownRow = {
  readonly id: string;
  readonly fence: number;
  readonly application_id: string;
  readonly campaign_id: string;
  readonly test_address: string | null;
  readonly profile: Record<string, unknown>;
  readonly message: Record<string, unknown>;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly rivals: number;
  readonly traceparent: string | null;
};

/** Which of the provider's ids are those of deliveries that are known already. */
export async function knownProviderIds(
  db: Database,
  providerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.sql.query<{ provider_id: string }>(statement('known-provider-ids'), [
    providerIds,
  ]);
  return new Set(rows.map((row) => row.provider_id));
}

/** Forgets that outcomes were once open; which are is told by the deliveries themselves. Returns how many. @callers scheduler */
export async function purgeOpenOutcomes(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(statement('purge-open-outcomes'), [limit]);
  return rowCount ?? 0;
}

/**
 * Forgets ids as old as deliveries that are forgotten: no outcome is open any more whose message could have one of them.
 * Returns how many. @callers scheduler
 */
export async function purgeProviderIds(
  db: Database,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  const { rowCount } = await db.sql.query(statement('purge-provider-ids'), [days, limit]);
  return rowCount ?? 0;
}
