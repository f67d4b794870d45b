import {
  RETRY_UNKNOWN_AFTER_MS,
  shouldRetryUnknown,
  type Channel,
  type DeliveryState,
} from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { changeDeliveryStates } from './change-states.ts';
import { wakeChunks } from './chunks.ts';
import { lockExpiredInInbox, takeBackFromInbox } from './inbox.ts';
import { targetOf, type DeliveryTarget } from './delivery-target.ts';

const statement = statementsIn(import.meta.dirname);

/** Rows that one call of a sweep changes at most; as many mean that there may be more. */
export const ROWS_PER_SWEEP = 1000;
/** Campaigns that are completed by one call at most. */
export const CAMPAIGNS_PER_SWEEP = 100;
const UNSENT_STATES: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait'];

/**
 * Small campaigns that are not expanded and that no announcement is about to reach: those of the gateway are
 * announced by it, the others only found here. @callers campaigns
 */
export async function campaignsToExpand(db: Database, dispatchGraceMs: number): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(statement('campaigns-to-expand'), [
    dispatchGraceMs,
  ]);
  return rows.map((row) => row.id);
}

/**
 * Sends whose worker is gone: the outcome is unknown, and nobody sends them again, save where a repeat does no harm or
 * the application wants one: those are due once more. Returns how many. A send that was armed while Postgres' clock was
 * ahead may be under way: it gets its lease anew. @callers campaigns
 */
export async function expireSendingLeases(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const found = await overdueSends(sql);
    await renewLeases(
      sql,
      found.filter((row) => row.is_ahead),
    );
    const rows = found.filter((row) => !row.is_ahead);
    // Whoever tests sees what became of it, and sends again by himself.
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
    await sql.query(statement('renew-chunk-leases'), [ROWS_PER_SWEEP]);
    return changed.size;
  });
}

/**
 * Deliveries, and addresses of others, whose lease has ended; of an address the delivery is locked, as before any change of it.
 * Chunk by chunk, by their index, whatever Postgres takes the size of a table for: it would read all deliveries there are.
 */
async function overdueSends(sql: Sql): Promise<SendingRow[]> {
  const { rows: deliveries } = await sql.query<SendingRow>(statement('lock-overdue-deliveries'), [
    ROWS_PER_SWEEP,
  ]);
  const { rows: addresses } = await sql.query<SendingRow>(statement('lock-overdue-addresses'), [
    ROWS_PER_SWEEP,
  ]);
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
  /** It was armed while Postgres' clock was ahead. */
  readonly is_ahead: boolean;
};

/** Sends that were armed while Postgres' clock was ahead, locked by the caller: as long a lease as they had, from now on. */
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

/** Deliveries of campaigns past their expiry that were never handed over. Returns how many. @callers campaigns */
export async function expireCampaigns(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const { rows: campaigns } = await sql.query<{ id: string }>(
      statement('read-expired-campaigns'),
    );
    if (campaigns.length === 0) return 0;
    const rows = await unsentRows(
      sql,
      campaigns.map((campaign) => campaign.id),
    );
    const changed = await changeDeliveryStates(
      sql,
      UNSENT_STATES,
      // What waited to be sent again may have arrived: of that nobody can say that it was not sent.
      rows.map((row) =>
        row.doubts > 0
          ? { ...targetOf(row), fence: null, state: 'unknown', reason: 'outcome_unknown' }
          : { ...targetOf(row), fence: null, state: 'expired' },
      ),
    );
    return changed.size;
  });
}

/** What waited in the inbox until its time was over. Returns how many. @callers campaigns */
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

/** What was never handed over of these campaigns. Only chunks that are still due have rows to send; they are read one by one, too. */
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
 * Completes campaigns that are expanded, have nothing pending, not even an address of a delivery that was
 * sent to another, and no failures that are yet to be tried again. Returns how many. @callers campaigns
 */
export async function completeCampaigns(db: Database): Promise<number> {
  // Somebody else may have completed it meanwhile, and its failures were made due again: then it is `sending` as before, but not settled.
  const { rowCount } = await db.sql.query(statement('complete-campaigns'));
  return rowCount ?? 0;
}
