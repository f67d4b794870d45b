import type { AccountReason } from '@tidings/contracts/channels/accounts';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Database } from '@tidings/postgres/database';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';

export type StoredCampaign = {
  readonly campaignId: string;
  readonly status: string;
  readonly isTest: boolean;
};
export type StoredDelivery = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly channel: SentChannel;
  readonly customUserId: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly providerCode: string | null;
};

/** Stored data of some applications, read directly from Postgres. */
export type StoredDeliveries = {
  readonly campaigns: readonly StoredCampaign[];
  readonly deliveries: readonly StoredDelivery[];
};

export async function readStoredDeliveries(
  db: Database,
  applicationIds: readonly string[],
): Promise<StoredDeliveries> {
  const campaigns = await db.sql.query<StoredCampaign>(
    `select id as "campaignId", status, source = 'test' as "isTest" from campaigns where application_id = any($1)`,
    [applicationIds],
  );
  const deliveries = await db.sql.query<StoredDelivery>(
    `select d.id as "deliveryId", d.campaign_id as "campaignId", d.channel, d.custom_user_id as "customUserId", d.state, d.reason, d.provider_code as "providerCode"
     from deliveries d join campaigns c on c.id = d.campaign_id where d.application_id = any($1) and c.source <> 'test'`,
    [applicationIds],
  );
  return { campaigns: campaigns.rows, deliveries: deliveries.rows };
}

/** By which account of its channel a delivery was last sent, or was about to be, and why. */
export type StoredAccount = Pick<StoredDelivery, 'deliveryId' | 'state'> & {
  readonly account: string | null;
  readonly accountReason: AccountReason | null;
};

export async function readStoredAccounts(
  db: Database,
  campaignId: string,
): Promise<readonly StoredAccount[]> {
  const { rows } = await db.sql.query<StoredAccount>(
    `select id as "deliveryId", state, account, account_reason as "accountReason" from deliveries where campaign_id = $1`,
    [campaignId],
  );
  return rows;
}

const OPEN: readonly DeliveryState[] = ['pending', 'claimed', 'sending', 'retry_wait', 'waiting'];

/** Remaining work: deliveries without an outcome, and campaigns that wait for them. */
export async function countOpen(
  db: Database,
  applicationIds: readonly string[],
): Promise<{ readonly deliveries: number; readonly campaigns: number }> {
  const { rows } = await db.sql.query<{ deliveries: number; campaigns: number }>(
    `select (select count(*)::int from deliveries where application_id = any($1) and state = any($2)) as deliveries,
            (select count(*)::int from campaigns where application_id = any($1) and status not in ('completed', 'canceled', 'failed')) as campaigns`,
    [applicationIds, OPEN],
  );
  return rows[0] ?? { deliveries: 0, campaigns: 0 };
}

/** Ids of the deliveries without an outcome, or of those in these states. */
export async function listOpen(
  db: Database,
  applicationIds: readonly string[],
  states: readonly DeliveryState[] = OPEN,
): Promise<readonly string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    `select id from deliveries where application_id = any($1) and state = any($2)`,
    [applicationIds, states],
  );
  return rows.map(({ id }) => id);
}

/** Those of these deliveries that have no outcome yet. */
export async function listStillOpen(
  db: Database,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    `select id from deliveries where id = any($1) and state = any($2)`,
    [ids, OPEN],
  );
  return rows.map(({ id }) => id);
}

/** How many of these deliveries have no outcome yet. */
export async function countStillOpen(db: Database, ids: readonly string[]): Promise<number> {
  return (await listStillOpen(db, ids)).length;
}

/** Makes waiting retries due now: the real retry delays take minutes, longer than a row. */
export async function endWaits(db: Database, applicationIds: readonly string[]): Promise<void> {
  await db.transaction(async (sql) => {
    const { rows } = await sql.query<{ campaign_id: string; chunk_no: number }>(
      `update deliveries set next_at = now() where application_id = any($1) and state = 'retry_wait' and next_at > now() returning campaign_id, chunk_no`,
      [applicationIds],
    );
    await sql.query(
      `update campaign_chunks k set due_at = now() from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
       where k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no`,
      [rows.map((row) => row.campaign_id), rows.map((row) => row.chunk_no)],
    );
  });
}
