import { afterAll, expect, test } from '@jest/globals';
import { writeAutomation } from '@tidings/automations/automations';
import { acceptCampaign } from '@tidings/delivery/accept';
import { appendRecipients } from '@tidings/delivery/append-recipients';
import { configureChannel, newCampaign, registerUsers, someIds } from '@tidings/testing';
import { randomUUID } from 'node:crypto';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer } = api;
const { applicationId } = tenant;
await configureChannel(db, applicationId, 'EMAIL');
const [ada = ''] = someIds(1);
await registerUsers(db, applicationId, [ada]);

async function writeCart(slug: string): Promise<string> {
  const written = await writeAutomation(db, {
    applicationId,
    slug,
    definition: {
      version: 1,
      name: 'Cart',
      purpose: 'marketing',
      trigger: { api: true },
      entry: { again: 'always' },
      nodes: [{ id: 'hour', delay: '1h' }],
    },
    by: 'test',
  });
  if (typeof written === 'string' || 'errors' in written) throw new Error(JSON.stringify(written));
  return written.automation.id;
}

/** One message of a node. Returns its campaign. */
async function send(automationId: string, node: string): Promise<string> {
  const message = { title: 'Still there?', body: 'Your cart' };
  const { deliveries } = await db.transaction((sql) =>
    appendRecipients(sql, [
      {
        applicationId,
        automationId,
        automationSlug: 'cart',
        version: 3,
        node,
        channel: 'EMAIL',
        purpose: 'transactional',
        templates: [{ slug: null, version: null, share: 1, message, variants: [] }],
        messageNo: 0,
        templateVersion: 0,
        expiresInMs: 3_600_000,
        heard: [],
        createdBy: 'test',
        shard: 0,
        recipients: [
          { customUserId: ada, runId: randomUUID(), enteredAt: Date.now(), event: null },
        ],
      },
    ]),
  );
  return deliveries[0]?.[0]?.campaignId ?? '';
}

const list = async (query: string): Promise<string[]> => {
  const { body } = await api.request('GET', `campaigns?${query}`, { headers: asServer });
  return (body as unknown as { items: { campaignId: string }[] }).items.map(
    ({ campaignId }) => campaignId,
  );
};

test('campaigns of automations say so, and are in the list of their automation, node or source alone', async () => {
  const automationId = await writeCart('cart');
  const own = newCampaign({ applicationId, message: { title: 'Still there?', body: 'x' } });
  await acceptCampaign(db, own);
  const mail = await send(automationId, 'mail');
  const push = await send(automationId, 'push');
  const other = await send(await writeCart('other'), 'mail');

  const { body } = await api.request('GET', `campaigns/${mail}`, { headers: asServer });
  expect(body).toMatchObject({
    source: 'automation',
    automation: { id: automationId, slug: 'cart', version: 3, node: 'mail' },
    status: 'sending',
    templates: [{ slug: null, version: null, share: 1 }],
    counts: { total: 1, pending: 1 },
  });
  expect(await list('')).toEqual([own.campaignId]);
  expect(await list('q=still')).toEqual([own.campaignId]);
  expect(await list('source=api')).toEqual([own.campaignId]);
  expect(await list('source=automation')).toEqual([other, push, mail]);
  for (const named of ['cart', automationId])
    expect(await list(`automation=${named}`)).toEqual([push, mail]);
  expect(await list('automation=cart&node=mail')).toEqual([mail]);
  expect(await list('automation=cart&q=still')).toEqual([push, mail]);
  expect(await list('automation=cart&status=completed')).toEqual([]);
  expect(await list('automation=none')).toEqual([]);
  // Its id is pasted on purpose.
  expect(await list(`q=${mail}`)).toEqual([mail]);
});

test('one that an automation appends to cannot be paused, and can be canceled', async () => {
  const campaignId = await send(randomUUID(), 'mail');
  const control = (action: string) =>
    api.request('POST', `campaigns/${campaignId}/${action}`, { headers: asServer });

  expect(await control('pause')).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('Pause the automation') },
  });
  expect(await control('cancel')).toMatchObject({
    status: 200,
    body: { status: 'canceled', counts: { canceled: 1 } },
  });
});

test('without anything to do it is no backlog', async () => {
  const backlog = async () => {
    const { body } = await api.request('GET', 'overview', { headers: api.asAdmin });
    return (body as unknown as { backlog: { campaigns: number; deliveries: number } }).backlog;
  };
  const before = await backlog();
  const campaignId = await send(randomUUID(), 'mail');
  expect(await backlog()).toMatchObject({
    campaigns: before.campaigns + 1,
    deliveries: before.deliveries + 1,
  });

  await db.sql.query(
    `update campaign_counters set state = 'sent' where campaign_id = $1 and state = 'pending'`,
    [campaignId],
  );

  expect(await backlog()).toEqual(before);
});
