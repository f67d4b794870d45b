import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import { WEBHOOK_KINDS, type WebhookKind } from '@tidings/contracts/webhooks';
import { createSecretBox, systemIds } from '@tidings/platform';
import {
  configureChannel,
  connectPublicTestDatabase,
  connectTestDatabase,
  createPushCampaign,
  createSendingApplication,
  createSendingCampaign,
  createTestApplication,
  newCampaign,
  registerUsers,
  someDevices,
  someIds,
} from '@tidings/testing';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  type SubscribedKind,
} from '@tidings/webhook-queue/endpoints';
import { acceptCampaign } from './accept.ts';
import { appendRecipients } from './append-recipients.ts';
import { changeDeliveryStates, targetOf } from './change-states.ts';
import { claimChunk } from './claims.ts';
import { applyDeliveryUpdates } from './delivery-updates.ts';
import { markSending } from './mark-sending.ts';
import { nodeSend, recipientsOf } from './testing/node-sends.ts';

const db = connectTestDatabase();
const box = createSecretBox('k'.repeat(32));
/** That of the services that face the internet. */
const publicDb = connectPublicTestDatabase();
afterAll(() => Promise.all([db.close(), publicDb.close()]));

type Queued = {
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly type: WebhookKind;
  readonly data: Record<string, unknown>;
  readonly state: string;
};

async function endpointOf(
  applicationId: string,
  {
    kinds = [],
    channels = [],
  }: { readonly kinds?: readonly SubscribedKind[]; readonly channels?: readonly Channel[] } = {},
): Promise<string> {
  const endpoint = await createWebhookEndpoint(db, box, {
    applicationId,
    url: 'https://hooks.example/',
    description: '',
    kinds,
    channels,
  });
  if (endpoint === 'too_many') throw new Error('too many endpoints');
  return endpoint.id;
}

async function queuedFor(endpointId: string): Promise<Queued[]> {
  const { rows } = await db.sql.query<Queued>(
    'select endpoint_id, event_id, type, data, state from webhook_deliveries where endpoint_id = $1 order by id',
    [endpointId],
  );
  return rows;
}

const log = (campaignId: string, type: string, deliveryId: string | null = null) =>
  db.sql.query('insert into campaign_events (campaign_id, type, delivery_id) values ($1, $2, $3)', [
    campaignId,
    type,
    deliveryId,
  ]);

const claimAll = (campaignId: string) =>
  claimChunk(db, { campaignId, chunkNo: 0, owner: 'worker', leaseMs: 60_000, rowsMax: 100 });

describe('a change that is logged', () => {
  test('of a message of an automation that fails as it is made names the run too', async () => {
    const { applicationId } = await createTestApplication(db);
    const endpointId = await endpointOf(applicationId, { kinds: ['message.failed'] });
    const [ada = ''] = someIds(1);
    await registerUsers(db, applicationId, [ada]);
    const recipients = recipientsOf([ada]);
    await db.transaction((sql) => appendRecipients(sql, [nodeSend({ applicationId, recipients })]));

    expect(await queuedFor(endpointId)).toMatchObject([
      { data: { reason: 'channel_not_configured', automation: { runId: recipients[0]?.runId } } },
    ]);
  });

  test('of a message of an automation names the automation, its node and the run', async () => {
    const { applicationId } = await createSendingApplication(db);
    const endpointId = await endpointOf(applicationId);
    const recipients = recipientsOf(['nobody']);
    const { deliveries } = await db.transaction((sql) =>
      appendRecipients(sql, [
        nodeSend({
          applicationId,
          automationSlug: 'cart',
          node: 'mail1',
          heard: ['opened'],
          recipients,
        }),
      ]),
    );
    const [{ deliveryId } = { deliveryId: '' }] = deliveries.flat();
    await db.sql.query(`update deliveries set state = 'sent' where id = $1`, [deliveryId]);

    await applyDeliveryUpdates(publicDb, [{ deliveryId, outcome: 'opened' }]);

    const automation = { slug: 'cart', node: 'mail1' };
    expect(
      (await queuedFor(endpointId)).map(({ type, data }) => [type, data['automation']]),
    ).toEqual([
      ['campaign.started', automation],
      ['message.opened', { ...automation, runId: recipients[0]?.runId }],
    ]);
  });

  test('is queued with what it is about, in the statement that makes it', async () => {
    const { applicationId } = await createSendingApplication(db);
    const endpointId = await endpointOf(applicationId);
    const campaign = await createSendingCampaign(db, { applicationId, count: 1 });
    const [claimed] = await claimAll(campaign.campaignId);
    const deliveryId = String(claimed?.deliveryId);

    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      [
        {
          deliveryId,
          fence: Number(claimed?.fence),
          state: 'failed',
          reason: 'provider_rejected',
          providerCode: '550',
          providerMessage: 'ada@example.org unknown',
        },
      ],
    );

    const queued = await queuedFor(endpointId);
    const { campaignId } = campaign;
    expect(queued.map(({ type, state }) => [type, state])).toEqual([
      ['campaign.queued', 'pending'],
      ['campaign.started', 'pending'],
      ['message.failed', 'pending'],
    ]);
    expect(queued.map(({ data }) => data)).toEqual([
      { campaignId, channel: 'EMAIL', status: 'queued' },
      { campaignId, channel: 'EMAIL', status: 'sending' },
      {
        campaignId,
        channel: 'EMAIL',
        deliveryId,
        customUserId: campaign.recipients[0],
        serviceUserId: null,
        status: 'failed',
        attempt: 0,
        reason: 'provider_rejected',
        providerCode: '550',
      },
    ]);
  });

  test('of one of several devices has one webhook for the delivery, and one for a removed subscription', async () => {
    const campaign = await createPushCampaign(db, { devices: someDevices(3) });
    const endpointId = await endpointOf(campaign.applicationId);
    const { campaignId } = campaign;
    const sends = await claimChunk(db, {
      channel: 'WEB_PUSH',
      campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 100,
    });
    await markSending(db, sends, 60_000);
    const record = (
      index: number,
      change:
        | { readonly state: 'sent' }
        | {
            readonly state: 'failed';
            readonly reason: 'subscription_gone';
            readonly outcome: 'invalid_address';
            readonly address: string;
          },
    ) =>
      changeDeliveryStates(
        db.sql,
        ['sending'],
        sends
          .slice(index, index + 1)
          .map((send) => ({ ...targetOf(send), fence: send.fence, ...change })),
      );

    await record(0, {
      state: 'failed',
      reason: 'subscription_gone',
      outcome: 'invalid_address',
      address: String(sends[0]?.device?.address),
    });
    await record(1, { state: 'sent' });
    await record(2, { state: 'sent' });

    const about = {
      campaignId,
      channel: 'WEB_PUSH',
      deliveryId: sends[0]?.deliveryId,
      customUserId: campaign.recipients[0],
      serviceUserId: null,
    };
    expect((await queuedFor(endpointId)).map(({ type, data }) => [type, data])).toEqual([
      [
        'subscription.removed',
        { ...about, status: 'removed', attempt: 1, reason: 'subscription_gone' },
      ],
      ['message.sent', { ...about, status: 'sent', attempt: 3 }],
    ]);
  });

  test('that is rolled back leaves no webhook', async () => {
    const { applicationId } = await createSendingApplication(db);
    const endpointId = await endpointOf(applicationId);
    const campaign = await createSendingCampaign(db, { applicationId, count: 1 });
    const before = await queuedFor(endpointId);

    await db
      .transaction(async (sql) => {
        await sql.query('insert into campaign_events (campaign_id, type) values ($1, $2)', [
          campaign.campaignId,
          'campaign.completed',
        ]);
        throw new Error('the worker dies');
      })
      .catch(() => undefined);

    expect(await queuedFor(endpointId)).toEqual(before);
  });

  test('with an old fence changes nothing and has no webhook', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await createSendingCampaign(db, { applicationId, count: 1 });
    const endpointId = await endpointOf(applicationId, { kinds: ['message.sent'] });
    const [claimed] = await claimAll(campaign.campaignId);
    const sent = {
      deliveryId: String(claimed?.deliveryId),
      fence: Number(claimed?.fence),
      state: 'sent',
    } as const;

    await changeDeliveryStates(db.sql, ['claimed'], [{ ...sent, fence: sent.fence - 1 }]);
    await changeDeliveryStates(db.sql, ['claimed'], [sent]);
    await changeDeliveryStates(db.sql, ['claimed'], [sent]);

    expect(await queuedFor(endpointId)).toHaveLength(1);
  });

  test('has one id for all endpoints, made of the entry; another entry has another', async () => {
    const { applicationId } = await createSendingApplication(db);
    const endpoints = [await endpointOf(applicationId), await endpointOf(applicationId)];
    const { campaignId } = await createSendingCampaign(db, { applicationId, count: 1 });
    await log(campaignId, 'campaign.completed');
    await log(campaignId, 'campaign.completed');

    const [first = [], second = []] = await Promise.all(
      endpoints.map(async (endpointId) =>
        (await queuedFor(endpointId)).map(({ event_id }) => event_id),
      ),
    );

    expect(first).toEqual(second);
    expect(new Set(first).size).toBe(4);
    expect(first.filter((id) => !/^evt_[0-9a-f]{32}$/.test(id))).toEqual([]);
  });

  test('names the user by the first serviceUserId, as the channels do', async () => {
    const { applicationId } = await createSendingApplication(db);
    await configureChannel(db, applicationId, 'WEB_HOOK');
    const campaign = await createSendingCampaign(db, {
      applicationId,
      channel: 'WEB_HOOK',
      count: 1,
    });
    const endpointId = await endpointOf(applicationId);
    const [first, second] = [systemIds.uuid(), systemIds.uuid()];
    await db.sql.query(
      `insert into user_identities (application_id, service_user_id, user_id, created_at)
       select $1, x.id::uuid, u.id, x.at::timestamptz from users u, (values ($3, '2026-02-01'), ($2, '2026-01-01')) x(id, at)
       where u.application_id = $1 and u.custom_user_id = $4`,
      [applicationId, first, second, campaign.recipients[0]],
    );

    const [claimed] = await claimAll(campaign.campaignId);
    await log(campaign.campaignId, 'delivery.delivered', String(claimed?.deliveryId));

    expect(claimed?.serviceUserId).toBe(first);
    expect((await queuedFor(endpointId)).map(({ data }) => data['serviceUserId'])).toEqual([first]);
  });
});

describe('an endpoint', () => {
  const others = [
    'delivery.pending',
    'delivery.claimed',
    'delivery.sending',
    'delivery.retry_wait',
    'delivery.waiting',
    'delivery.canceled',
    'campaign.paused',
    'campaign.resumed',
    'webhook.ping',
    'message.sent2',
    '',
  ];
  let campaignId = '';
  let applicationId = '';
  const entries = WEBHOOK_KINDS.filter((kind) => kind !== 'webhook.ping').map((kind) =>
    kind.replace(/^message\./, 'delivery.'),
  );
  beforeAll(async () => {
    ({ applicationId } = await createSendingApplication(db));
    ({ campaignId } = await createSendingCampaign(db, { applicationId, count: 1 }));
  });

  test('without filters gets every kind of event, from every source, and no other', async () => {
    const endpointId = await endpointOf(applicationId);

    for (const type of [...entries, ...others]) await log(campaignId, type);

    expect((await queuedFor(endpointId)).map(({ type }) => type)).toEqual(
      WEBHOOK_KINDS.filter((kind) => kind !== 'webhook.ping'),
    );
  });

  test('with filters gets its kinds and channels only', async () => {
    const opened = await endpointOf(applicationId, { kinds: ['message.opened'] });
    const mails = await endpointOf(applicationId, { channels: ['SMS', 'EMAIL'] });
    const texts = await endpointOf(applicationId, { channels: ['SMS'] });

    for (const type of ['delivery.opened', 'delivery.clicked']) await log(campaignId, type);

    expect((await queuedFor(opened)).map(({ type }) => type)).toEqual(['message.opened']);
    expect((await queuedFor(mails)).map(({ type }) => type)).toEqual([
      'message.opened',
      'message.clicked',
    ]);
    expect(await queuedFor(texts)).toEqual([]);
  });

  test('that is switched off gets nothing, nor one of another application', async () => {
    const off = await endpointOf(applicationId);
    await changeWebhookEndpoint(db, { applicationId, endpointId: off, change: { enabled: false } });
    const { applicationId: other } = await createTestApplication(db);
    const theirs = await endpointOf(other);

    await log(campaignId, 'campaign.completed');

    expect(await queuedFor(off)).toEqual([]);
    expect(await queuedFor(theirs)).toEqual([]);
  });

  test('gets no events of test sends, whose recipient is an address', async () => {
    const endpointId = await endpointOf(applicationId);

    await acceptCampaign(
      db,
      newCampaign({ applicationId, source: 'test', recipients: ['operator@example.org'] }),
    );

    expect(await queuedFor(endpointId)).toEqual([]);
  });
});
