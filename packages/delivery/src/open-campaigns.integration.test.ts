import { afterAll, expect, test } from '@jest/globals';
import { updateApplication } from '@tidings/people/update-application';
import { readCampaign } from '@tidings/campaign-reports/reports';
import {
  createOwnDatabase,
  createSendingApplication,
  recount,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { appendRecipients, type NodeSend } from './append-recipients.ts';
import { beginRecipientPurge, deleteRecipientRows, purgeCampaigns } from './campaign-retention.ts';
import { changeDeliveryStates } from './change-states.ts';
import { forgetSettledContexts } from './delivery-contexts.ts';
import { reconcileCounters } from './reconcile.ts';
import { completeCampaigns, expireCampaigns } from './sweeps.ts';
import { nodeSend, recipientsOf } from './testing/node-sends.ts';

// Sweeps and purges work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

/** An application, and what is appended for `count` of its users to one campaign. */
async function opened(count: number, overrides: Partial<NodeSend> = {}) {
  const { applicationId } = await createSendingApplication(db);
  const ids = someIds(count);
  await registerUsers(db, applicationId, ids);
  return appended(applicationId, ids, overrides);
}

async function appended(
  applicationId: string,
  ids: readonly string[],
  overrides: Partial<NodeSend> = {},
) {
  const send = nodeSend({ applicationId, recipients: recipientsOf(ids), ...overrides });
  const { deliveries } = await db.transaction((sql) => appendRecipients(sql, [send]));
  const all = deliveries.flat();
  return {
    applicationId,
    campaignId: all[0]?.campaignId ?? '',
    deliveryIds: all.map(({ deliveryId }) => deliveryId),
    send,
  };
}

const settle = (deliveryIds: readonly string[], state: 'sent' | 'failed') =>
  db.transaction((sql) =>
    changeDeliveryStates(
      sql,
      ['pending'],
      deliveryIds.map((deliveryId) => ({ deliveryId, fence: null, state })),
    ),
  );
const contextsOf = async (campaignId: string) =>
  (await db.sql.query('select from delivery_contexts where campaign_id = $1', [campaignId]))
    .rowCount;
const report = ({ applicationId, campaignId }: { applicationId: string; campaignId: string }) =>
  readCampaign(db, applicationId, campaignId);

test('the time to a send counts from when its recipient was appended', async () => {
  const campaign = await opened(3);
  const { campaignId, deliveryIds } = campaign;
  await settle(deliveryIds, 'sent');
  await db.sql.query(`update campaigns set created_at = now() - interval '1 hour' where id = $1`, [
    campaignId,
  ]);
  await db.sql.query(
    `update deliveries set sent_at = created_at + interval '100 ms' where campaign_id = $1`,
    [campaignId],
  );

  expect((await report(campaign))?.timing).toMatchObject({ p50Ms: 100, p95Ms: 100 });

  await db.sql.query('update campaigns set open_until = now() where id = $1', [campaignId]);
  await completeCampaigns(db);

  expect(await report(campaign)).toMatchObject({
    status: 'completed',
    timing: { p50Ms: 100, p95Ms: 100 },
  });
});

test('messages expire with their campaign, which then is complete, and its figures are those of a recount', async () => {
  const campaign = await opened(3);
  const { campaignId, deliveryIds } = campaign;
  await settle(deliveryIds.slice(0, 1), 'sent');
  await db.sql.query(
    `update campaigns set open_until = now() - interval '1 h', expires_at = now() where id = $1`,
    [campaignId],
  );

  await expireCampaigns(db);
  await completeCampaigns(db);

  expect(await report(campaign)).toMatchObject({
    status: 'completed',
    counts: { total: 3, sent: 1, expired: 2, pending: 0 },
  });
  expect((await recount(db, campaignId)).groups).toEqual({ sent: 1, expired: 2 });
  const { differences } = await reconcileCounters(db, null, {
    campaignsMax: 1_000,
    recipientsMax: 1_000,
    days: 1,
  });
  expect(differences).toEqual([]);
});

test('where sent messages are not kept, what the automation knew goes once the delivery is settled', async () => {
  const kept = await opened(1);
  const { applicationId } = await createSendingApplication(db);
  await updateApplication(db, applicationId, { settings: { keepSentMessages: false } });
  const ids = someIds(2);
  await registerUsers(db, applicationId, ids);
  const dropped = await appended(applicationId, ids);

  await forgetSettledContexts(db, 100);
  expect(await contextsOf(dropped.campaignId)).toBe(2);

  await settle(kept.deliveryIds, 'sent');
  await settle(dropped.deliveryIds.slice(0, 1), 'failed');
  await forgetSettledContexts(db, 100);

  expect(await contextsOf(dropped.campaignId)).toBe(1);
  expect(await contextsOf(kept.campaignId)).toBe(1);
});

test('a purge deletes the deliveries with what the automation knew, and later the campaign with its place', async () => {
  const { campaignId, deliveryIds } = await opened(2);
  await settle(deliveryIds, 'sent');
  const old = await db.sql.query<{ id: string }>(`select uuidv7(interval '-100 days') as id`);
  const oldId = old.rows[0]?.id;
  // As if it had been opened then.
  await db.transaction(async (sql) => {
    await sql.query(
      `insert into campaigns select (jsonb_populate_record(c, jsonb_build_object('id', $2::text, 'created_at', now() - interval '100 days',
         'retried_at', now() - interval '100 days', 'open_until', now() - interval '100 days', 'expires_at', now() - interval '99 days', 'status', 'completed'))).*
       from campaigns c where id = $1`,
      [campaignId, oldId],
    );
    for (const table of [
      'campaign_chunks',
      'deliveries',
      'delivery_contexts',
      'campaign_events',
      'campaign_counters',
      'automation_sends',
    ])
      await sql.query(`update ${table} set campaign_id = $2 where campaign_id = $1`, [
        campaignId,
        oldId,
      ]);
    await sql.query('delete from campaigns where id = $1', [campaignId]);
  });

  await beginRecipientPurge(db, { days: 90, limit: 100 });
  while ((await deleteRecipientRows(db, 1_000)).hasMore);
  const rowsOf = async (table: string) =>
    (await db.sql.query(`select from ${table} where campaign_id = $1`, [oldId])).rowCount;
  expect(await rowsOf('deliveries')).toBe(0);
  expect(await rowsOf('delivery_contexts')).toBe(0);
  expect(await rowsOf('automation_sends')).toBe(1);

  expect(await purgeCampaigns(db, { days: 90, limit: 100 }, () => Promise.resolve())).toBe(1);
  expect(await rowsOf('automation_sends')).toBe(0);
});
