import type { Channel } from '@tidings/contracts/channels/channels';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A delivery with an unknown outcome, and what identifies it at the provider. */
export type UnknownDelivery = {
  readonly deliveryId: string;
  readonly fence: number;
  readonly applicationId: string;
  readonly campaignId: string;
  readonly customUserId: string;
  readonly testAddress: string | null;
  /** The account that it was sent by; null: the only one. */
  readonly account: string | null;
  readonly profile: Readonly<Record<string, unknown>>;
  /** Null: it was rendered for the user. */
  readonly message: Readonly<Record<string, unknown>> | null;
  /** It was not sent before this time. Milliseconds since the epoch. */
  readonly createdAt: number;
  /** It was not sent after this time. */
  readonly unknownSince: number;
  /**
   * Other deliveries of the application with an open outcome that look the same to the provider:
   * same channel, number and message. A personalised message may look like any.
   */
  readonly rivals: number;
  /** Of its campaign, if traced. */
  readonly traceparent?: string;
};

export type PollTimes = {
  /** Delay before the first poll: callbacks come first. */
  readonly afterMs: number;
  /** Interval between two polls of one delivery. */
  readonly intervalMs: number;
  /** An outcome not found by then stays unknown. */
  readonly untilMs: number;
};

/** Takes deliveries to poll, each by one worker at a time. @callers channel-worker */
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
    customUserId: row.custom_user_id,
    testAddress: row.test_address,
    account: row.account,
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
  readonly custom_user_id: string;
  readonly test_address: string | null;
  readonly account: string | null;
  readonly profile: Record<string, unknown>;
  readonly message: Record<string, unknown> | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly rivals: number;
  readonly traceparent: string | null;
};

/** Returns which of the provider's ids belong to known deliveries. */
export async function knownProviderIds(
  db: Database,
  providerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.sql.query<{ provider_id: string }>(statement('known-provider-ids'), [
    providerIds,
  ]);
  return new Set(rows.map((row) => row.provider_id));
}

/**
 * Deletes entries of outcomes that are no longer open; the deliveries have the state. Returns how
 * many. @callers scheduler
 */
export async function purgeOpenOutcomes(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(statement('purge-open-outcomes'), [limit]);
  return rowCount ?? 0;
}

/**
 * Deletes provider ids older than `days`: no open outcome can have one of them. Returns how many.
 * @callers scheduler
 */
export async function purgeProviderIds(
  db: Database,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  const { rowCount } = await db.sql.query(statement('purge-provider-ids'), [days, limit]);
  return rowCount ?? 0;
}
