import type { Channel } from '@tidings/contracts/channels/channels';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { RETRY_UNKNOWN_AFTER_MS, shouldRetryUnknown } from '@tidings/contracts/push/retry-unknown';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { changeDeliveryStates, targetOf, type DeliveryTarget } from './change-states.ts';
import { wakeChunks } from './chunks.ts';
import { lockExpiredInInbox, takeBackFromInbox } from './inbox.ts';

const statement = statementsIn(import.meta.dirname);

const CAMPAIGNS_TO_EXPAND = definePreparedByKeys(statement('campaigns-to-expand'));
const LOCK_OVERDUE_DELIVERIES = definePreparedByKeys(statement('lock-overdue-deliveries'));
const LOCK_OVERDUE_ADDRESSES = definePreparedByKeys(statement('lock-overdue-addresses'));
const RENEW_CHUNK_LEASES = definePreparedByKeys(statement('renew-chunk-leases'));
const READ_EXPIRED_CAMPAIGNS = definePreparedByKeys(statement('read-expired-campaigns'));
const COMPLETE_CAMPAIGNS = definePreparedByKeys(statement('complete-campaigns'));

/** Maximum rows per sweep step; a full step means that more may remain. */
export const ROWS_PER_SWEEP = 1000;
/** Maximum campaigns completed per step. */
export const CAMPAIGNS_PER_SWEEP = 100;
const UNSENT_STATES: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait'];

/** Small unexpanded campaigns whose queue record is missing or late. @callers campaigns */
export async function campaignsToExpand(db: Database, dispatchGraceMs: number): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(CAMPAIGNS_TO_EXPAND, [dispatchGraceMs]);
  return rows.map((row) => row.id);
}

/**
 * Settles sends whose lease ended without an outcome. They become unknown, or are retried where a
 * repeat is idempotent or the application wants one. Sends marked while Postgres' clock was ahead
 * may be in flight: their lease is renewed. Returns how many changed. @callers campaigns
 */
export async function expireSendingLeases(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const found = await overdueSends(sql);
    await renewLeases(
      sql,
      found.filter((row) => row.is_ahead),
    );
    const rows = found.filter((row) => !row.is_ahead);
    // Test sends are not retried: the tester sees the result and repeats it.
    const isRepeated = ({ channel, resend, doubts, is_test: isTest }: SendingRow): boolean =>
      !isTest &&
      shouldRetryUnknown(channel, { setting: resend ?? undefined, ambiguousAttempts: doubts });
    const changed = await changeDeliveryStates(
      sql,
      ['sending'],
      rows.map((row) => {
        const change = {
          ...targetOf(row),
          fence: row.fence,
          reason: 'outcome_unknown',
          outcome: 'unknown',
        } as const;
        return isRepeated(row)
          ? { ...change, state: 'retry_wait', delayMs: RETRY_UNKNOWN_AFTER_MS[row.channel] }
          : { ...change, state: 'unknown' };
      }),
    );
    await wakeChunks(
      sql,
      rows
        .filter(isRepeated)
        .map((row) => ({ campaignId: row.campaign_id, chunkNo: row.chunk_no })),
    );
    await sql.query(RENEW_CHUNK_LEASES, [ROWS_PER_SWEEP]);
    return changed.size;
  });
}

/**
 * Locks deliveries and addresses whose lease ended; for an address, its delivery first. Reads chunk
 * by chunk through their index: with outdated statistics Postgres would read the whole table.
 */
async function overdueSends(sql: Sql): Promise<SendingRow[]> {
  const { rows: deliveries } = await sql.query<SendingRow>(LOCK_OVERDUE_DELIVERIES, [
    ROWS_PER_SWEEP,
  ]);
  const { rows: addresses } = await sql.query<SendingRow>(LOCK_OVERDUE_ADDRESSES, [ROWS_PER_SWEEP]);
  return [...deliveries, ...addresses];
}

type SendingRow = DeliveryTarget & {
  readonly fence: number;
  readonly channel: Channel;
  readonly campaign_id: string;
  readonly chunk_no: number;
  readonly doubts: number;
  readonly is_test: boolean;
  readonly resend: boolean | null;
  /** It was marked sending while Postgres' clock was ahead. */
  readonly is_ahead: boolean;
};

/**
 * Renews leases taken while Postgres' clock was ahead, for the same duration from now. The caller
 * has locked the rows.
 */
async function renewLeases(sql: Sql, sends: readonly SendingRow[]): Promise<void> {
  if (sends.length === 0) return;
  const addresses = sends.filter(({ addressNo }) => addressNo !== undefined);
  const deliveryIds = sends
    .filter(({ addressNo }) => addressNo === undefined)
    .map(({ deliveryId }) => deliveryId);
  await sql.query(statement('renew-delivery-leases'), [deliveryIds]);
  await sql.query(statement('renew-address-leases'), [
    addresses.map(({ deliveryId }) => deliveryId),
    addresses.map(({ addressNo }) => addressNo),
  ]);
}

/** Expires unsent deliveries of expired campaigns. Returns how many. @callers campaigns */
export async function expireCampaigns(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const { rows: campaigns } = await sql.query<{ id: string }>(READ_EXPIRED_CAMPAIGNS);
    if (campaigns.length === 0) return 0;
    const rows = await unsentRows(
      sql,
      campaigns.map((campaign) => campaign.id),
    );
    const changed = await changeDeliveryStates(
      sql,
      UNSENT_STATES,
      // A row that waits for a retry after an unknown outcome may have arrived, so it becomes
      // unknown.
      rows.map((row) =>
        row.doubts > 0
          ? { ...targetOf(row), fence: null, state: 'unknown', reason: 'outcome_unknown' }
          : { ...targetOf(row), fence: null, state: 'expired' },
      ),
    );
    return changed.size;
  });
}

/** Expires messages in the inbox. Returns how many. @callers campaigns */
export async function expireInbox(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const taken = await takeBackFromInbox(sql, await lockExpiredInInbox(sql, ROWS_PER_SWEEP));
    return (
      await changeDeliveryStates(
        sql,
        ['waiting'],
        [...taken].map((deliveryId) => ({ deliveryId, fence: null, state: 'expired' as const })),
      )
    ).size;
  });
}

/** Locks the unsent rows of these campaigns. Only due chunks have any; they are read one by one. */
async function unsentRows(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<(DeliveryTarget & { readonly doubts: number })[]> {
  const values = [campaignIds, ROWS_PER_SWEEP];
  type Unsent = DeliveryTarget & { readonly doubts: number };
  const { rows: deliveries } = await sql.query<Unsent>(statement('lock-unsent-deliveries'), values);
  const { rows: addresses } = await sql.query<Unsent>(statement('lock-unsent-addresses'), values);
  return [...deliveries, ...addresses];
}

/**
 * Completes expanded campaigns with nothing pending: no delivery, no address of a delivery sent to
 * another address, no failure about to be retried. Returns how many. @callers campaigns
 */
export async function completeCampaigns(db: Database): Promise<number> {
  // Another process may have completed it and its failures may be due again: the status is
  // `sending` as before, but rows are unsettled.
  const { rowCount } = await db.sql.query(COMPLETE_CAMPAIGNS);
  return rowCount ?? 0;
}
