import { afterAll, describe, expect, test } from '@jest/globals';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import {
  connectTestDatabase,
  createSendingApplication,
  createTestApplication,
  recount,
  registerUsers,
  someIds,
  untilBlockedBy,
} from '@tidings/testing';
import { statementsIn } from '@tidings/postgres/statements';
import { appendRecipients, type AppendedDelivery, type NodeSend } from './append-recipients.ts';
import { dueBulkChunks } from './bulk.ts';
import { dueChunks } from './chunks.ts';
import { readContexts } from './delivery-contexts.ts';
import { completeCampaigns } from './sweeps.ts';
import { nodeSend, recipientsOf } from './testing/node-sends.ts';

const db = connectTestDatabase({ poolMax: 20 });
afterAll(() => db.close());

const append = (sends: readonly NodeSend[]) =>
  db.transaction((sql) => appendRecipients(sql, sends));

const distinctCampaigns = (deliveries: readonly (readonly AppendedDelivery[])[]): string[] => [
  ...new Set(deliveries.flat().map(({ campaignId }) => campaignId)),
];

async function sender(count: number) {
  const { applicationId } = await createSendingApplication(db);
  const ids = someIds(count);
  await registerUsers(db, applicationId, ids);
  const send = (overrides: Partial<NodeSend> = {}) => nodeSend({ applicationId, ...overrides });
  return { applicationId, ids, send, ofSameNode: nodeSend({ applicationId }) };
}

const settleAll = (campaignId: string) =>
  db.transaction(async (sql) => {
    await sql.query(
      `update deliveries set state = 'failed', reason = 'internal' where campaign_id = $1`,
      [campaignId],
    );
    await sql.query(
      `update campaign_counters set state = 'failed', reason = 'internal' where campaign_id = $1 and state = 'pending'`,
      [campaignId],
    );
  });
const statusOf = async (campaignId: string) =>
  (
    await db.sql.query<{ status: string }>('select status from campaigns where id = $1', [
      campaignId,
    ])
  ).rows[0]?.status;

describe('appended recipients', () => {
  test('have a delivery each in one open campaign, with what the automation knew', async () => {
    const { applicationId, ids, send } = await sender(5);
    const event = {
      name: 'cartd',
      time: 1_700_000_000_000,
      attributes: { price: 9_007_199_254_740_993n, items: ['a', 'b'] },
      revenue: 12.5,
      currency: 'EUR',
    };
    const recipients = recipientsOf(ids, { event });

    const { deliveries, chunks } = await append([send({ recipients })]);

    const [campaignId = ''] = distinctCampaigns(deliveries);
    expect(distinctCampaigns(deliveries)).toHaveLength(1);
    const stored = await listDeliveries(db, campaignId, { limit: 100 });
    expect(
      deliveries[0]?.map(
        ({ deliveryId }) => stored.find((one) => one.deliveryId === deliveryId)?.customUserId,
      ),
    ).toEqual(ids);
    expect(chunks).toEqual([
      { campaignId, chunkNo: -1, applicationId, channel: 'EMAIL', lane: 'express' },
    ]);
    const contexts = await readContexts(db.sql, campaignId, ids.slice(0, 1));
    const [first] = recipients;
    expect(contexts).toEqual(
      new Map([[ids[0], { event, run: { id: first?.runId, enteredAt: first?.enteredAt } }]]),
    );
    expect(await readCampaign(db, applicationId, campaignId)).toMatchObject({
      status: 'sending',
      recipients: { requested: 5, unique: 5 },
      counts: { total: 5, pending: 5 },
    });
    expect((await recount(db, campaignId)).groups).toEqual({ pending: 5 });
    expect(
      (await listCampaignEvents(db, campaignId, { limit: 10 })).map(({ type }) => type),
    ).toEqual(['campaign.started']);
  });

  test('are appended to the campaign that is open, while it lives for a 24th of its messages', async () => {
    const { applicationId, ids, ofSameNode } = await sender(2);
    const first = await append([{ ...ofSameNode, recipients: recipientsOf(ids.slice(0, 1)) }]);
    const second = await append([{ ...ofSameNode, recipients: recipientsOf(ids.slice(1)) }]);

    const campaigns = distinctCampaigns([...first.deliveries, ...second.deliveries]);
    expect(campaigns).toHaveLength(1);
    expect(second.chunks).toMatchObject([{ chunkNo: -2 }]);
    const { rows } = await db.sql.query(
      `select extract(epoch from open_until - created_at)::float8 as open_s,
         extract(epoch from expires_at - open_until)::float8 as lives_s
       from campaigns where application_id = $1`,
      [applicationId],
    );
    expect(rows).toEqual([{ open_s: 3 * 3600, lives_s: 72 * 3600 }]);
  });

  test.each([
    [60_000, 2.5],
    [30 * 86_400_000, 86_400],
  ])(
    'of a message that lives %i ms, the campaign is open for %d s',
    async (expiresInMs, seconds) => {
      const { ids, send } = await sender(1);
      const { deliveries } = await append([send({ expiresInMs, recipients: recipientsOf(ids) })]);
      const { rows } = await db.sql.query(
        'select extract(epoch from open_until - created_at)::float8 as s from campaigns where id = $1',
        distinctCampaigns(deliveries),
      );
      expect(rows).toEqual([{ s: seconds }]);
    },
  );

  test('of one person, three orders in a second, have three messages', async () => {
    const { applicationId, ids, ofSameNode } = await sender(2);
    const [ada = '', bo = ''] = ids;
    const orders: AppendedDelivery[] = [];
    for (let order = 0; order < 3; order += 1) {
      const { deliveries } = await append([{ ...ofSameNode, recipients: recipientsOf([ada]) }]);
      orders.push(...deliveries.flat());
    }

    expect(distinctCampaigns([orders])).toHaveLength(3);
    // Others go to the campaign that was opened last.
    const { deliveries } = await append([{ ...ofSameNode, recipients: recipientsOf([bo]) }]);
    expect(deliveries[0]?.[0]?.campaignId).toBe(orders.at(-1)?.campaignId);
    const { rows } = await db.sql.query(
      'select count(*)::int as n, count(distinct id)::int as ids from deliveries where application_id = $1 and custom_user_id = $2',
      [applicationId, ada],
    );
    expect(rows).toEqual([{ n: 3, ids: 3 }]);
  });

  test('of one person three times in one call, beside others, have as many messages', async () => {
    const { applicationId, ids, send } = await sender(3);
    const [ada = '', bo = '', cy = ''] = ids;
    const asked = [ada, bo, ada, cy, ada, bo];

    const { deliveries } = await append([send({ recipients: recipientsOf(asked) })]);

    const all = deliveries.flat();
    expect(new Set(all.map(({ deliveryId }) => deliveryId)).size).toBe(6);
    expect(distinctCampaigns(deliveries)).toHaveLength(3);
    for (const campaignId of distinctCampaigns(deliveries)) {
      const { total } = (await readCampaign(db, applicationId, campaignId))?.counts ?? {};
      expect((await recount(db, campaignId)).groups).toEqual({ pending: total });
    }
    // Each answer is of the run that asked.
    const { rows } = await db.sql.query<{ id: string; custom_user_id: string }>(
      'select id, custom_user_id from deliveries where application_id = $1',
      [applicationId],
    );
    const owner = new Map(rows.map((row) => [row.id, row.custom_user_id]));
    expect(all.map(({ deliveryId }) => owner.get(deliveryId))).toEqual(asked);
  });

  test('of another template version, node or slot have a campaign of their own', async () => {
    const { ids, ofSameNode } = await sender(1);
    const recipients = recipientsOf(ids);
    const { deliveries } = await append([
      { ...ofSameNode, recipients },
      { ...ofSameNode, recipients, templateVersion: 2 },
      { ...ofSameNode, recipients, node: 'mail2' },
      { ...ofSameNode, recipients, version: 2 },
      ...[1, 2, 3].map((shard) => ({ ...ofSameNode, recipients, shard })),
    ]);

    expect(distinctCampaigns(deliveries)).toHaveLength(7);
    const again = await append([
      { ...ofSameNode, shard: 4, recipients: recipientsOf([`${ids[0]} x`]) },
    ]);
    expect(again.deliveries[0]?.[0]?.campaignId).toBe(deliveries[0]?.[0]?.campaignId);
  });

  test('who are unknown, or whose channel is not ready, have the outcomes of any campaign', async () => {
    const { applicationId } = await createTestApplication(db);
    const ids = someIds(1);
    await registerUsers(db, applicationId, ids);
    const send = nodeSend({ applicationId, recipients: recipientsOf([...ids, 'nobody']) });

    const { deliveries, chunks } = await append([send]);

    const [campaignId = ''] = distinctCampaigns(deliveries);
    expect(chunks).toEqual([]);
    expect(await listDeliveries(db, campaignId, { limit: 10 })).toMatchObject([
      { customUserId: ids[0], status: 'failed', reason: 'channel_not_configured' },
      { customUserId: 'nobody', status: 'pending' },
    ]);
    expect((await readCampaign(db, applicationId, campaignId))?.failures).toEqual({
      channel_not_configured: 1,
    });
  });

  test('are of the bulk lane once their node has had a thousand in the running minute', async () => {
    const { applicationId, ids, ofSameNode } = await sender(3);
    const first = await append([
      { ...ofSameNode, recipients: recipientsOf(ids.slice(0, 1)) },
      { ...ofSameNode, shard: 1, recipients: recipientsOf(ids.slice(0, 1)) },
    ]);
    expect(first.chunks.map(({ lane }) => lane)).toEqual(['express', 'express']);
    await db.sql.query('update automation_sends set recipients = 500 where application_id = $1', [
      applicationId,
    ]);

    const { deliveries, chunks } = await append([
      { ...ofSameNode, recipients: recipientsOf(ids.slice(1, 2)) },
    ]);
    expect(chunks).toEqual([]);
    const [campaignId = ''] = distinctCampaigns(deliveries);
    expect(first.deliveries.flat().map((one) => one.campaignId)).not.toContain(campaignId);
    expect((await dueBulkChunks(db, 1_000)).map((chunk) => chunk.campaignId)).toContain(campaignId);

    await db.sql.query(
      `update automation_sends set minute = minute - interval '1 min' where application_id = $1`,
      [applicationId],
    );
    const later = await append([{ ...ofSameNode, recipients: recipientsOf(ids.slice(2)) }]);
    expect(later.chunks.map(({ lane }) => lane)).toEqual(['express']);
  });

  test('are gone with their transaction, and are due some seconds after a commit that none dispatched', async () => {
    const { applicationId, ids, ofSameNode } = await sender(1);
    const send = { ...ofSameNode, recipients: recipientsOf(ids) };
    await expect(
      db.transaction(async (sql) => {
        await appendRecipients(sql, [send]);
        throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    for (const table of ['campaigns', 'deliveries', 'delivery_contexts', 'automation_sends']) {
      const { rowCount } = await db.sql.query(`select from ${table} where application_id = $1`, [
        applicationId,
      ]);
      expect([table, rowCount]).toEqual([table, 0]);
    }

    const { chunks } = await append([send]);

    const { rows } = await db.sql.query(
      `update campaign_chunks k set due_at = due_at - interval '5 s'
       from campaigns c where c.id = k.campaign_id and c.application_id = $1 returning k.chunk_no`,
      [applicationId],
    );
    expect(rows).toHaveLength(1);
    expect((await dueChunks(db)).map(({ campaignId }) => campaignId)).toContain(
      chunks[0]?.campaignId,
    );
  });
});

describe('an open campaign', () => {
  test('is not complete before its time, though nothing is pending', async () => {
    const { ids, ofSameNode } = await sender(2);
    const first = await append([{ ...ofSameNode, recipients: recipientsOf(ids.slice(0, 1)) }]);
    const [campaignId = ''] = distinctCampaigns(first.deliveries);
    await settleAll(campaignId);

    await completeCampaigns(db);
    expect(await statusOf(campaignId)).toBe('sending');

    await db.sql.query('update campaigns set open_until = now() where id = $1', [campaignId]);
    await completeCampaigns(db);
    expect(await statusOf(campaignId)).toBe('completed');
    const next = await append([{ ...ofSameNode, recipients: recipientsOf(ids.slice(1)) }]);
    expect(distinctCampaigns(next.deliveries)).not.toContain(campaignId);
  });

  test.each(['completed', 'paused', 'canceled'])(
    'that is %s takes no more: the next one is opened',
    async (status) => {
      const { ids, ofSameNode } = await sender(2);
      const first = await append([{ ...ofSameNode, recipients: recipientsOf(ids.slice(0, 1)) }]);
      const [campaignId = ''] = distinctCampaigns(first.deliveries);
      await db.sql.query('update campaigns set status = $2 where id = $1', [campaignId, status]);

      const next = await append([{ ...ofSameNode, recipients: recipientsOf(ids.slice(1)) }]);
      expect(distinctCampaigns(next.deliveries)).not.toContain(campaignId);
    },
  );
});

test('a completion that has counted before what is appended does not end the campaign, of an earlier version either', async () => {
  const { ids, ofSameNode } = await sender(2);
  const first = await append([{ ...ofSameNode, recipients: recipientsOf(ids.slice(0, 1)) }]);
  const [campaignId = ''] = distinctCampaigns(first.deliveries);
  await settleAll(campaignId);
  // The version before knows no open campaigns.
  const earlier = statementsIn(import.meta.dirname)('complete-campaigns').replace(
    'c.open_until > now()',
    'false',
  );
  expect(earlier).toContain('is not null and false');

  const { completing } = await db.transaction(async (sql) => {
    await appendRecipients(sql, [{ ...ofSameNode, recipients: recipientsOf(ids.slice(1)) }]);
    const ended = db.sql.query(earlier);
    await untilBlockedBy(db, sql);
    return { completing: ended };
  });
  await completing;

  expect(await statusOf(campaignId)).toBe('sending');
});

test('engines that append to the same nodes in any order neither deadlock nor lose one', async () => {
  const { applicationId, ids, ofSameNode } = await sender(40);
  const nodes = ['a', 'b', 'c', 'd', 'e'];
  const perEngine = 12;

  await Promise.all(
    Array.from({ length: 6 }, async (_, engine) => {
      for (let step = 0; step < perEngine; step += 1) {
        const shuffled = nodes.toSorted(() => Math.random() - 0.5);
        await append(
          shuffled.map((node, place) => ({
            ...ofSameNode,
            node,
            shard: (engine + place) % 8,
            recipients: recipientsOf([ids[(engine * 7 + step) % 40] ?? '', ids[step] ?? '']),
          })),
        );
      }
    }),
  );

  const { rows } = await db.sql.query<{ id: string; n: number; unique: number }>(
    `select c.id, c.recipients_unique as "unique", (select count(*)::int from deliveries d where d.campaign_id = c.id) as n
     from campaigns c where c.application_id = $1`,
    [applicationId],
  );
  expect(rows.reduce((sum, { n }) => sum + n, 0)).toBe(6 * perEngine * nodes.length * 2);
  for (const { id, n, unique } of rows) {
    expect(unique).toBe(n);
    expect((await recount(db, id)).groups).toEqual({ pending: n });
  }
  const { rows: contexts } = await db.sql.query(
    'select count(distinct run_id)::int as runs from delivery_contexts where application_id = $1',
    [applicationId],
  );
  expect(contexts).toEqual([{ runs: 6 * perEngine * nodes.length * 2 }]);
}, 30_000);
