import { afterAll, describe, expect, test } from '@jest/globals';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates, targetOf } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { publicDeviceId } from '@tidings/people/devices/public-device-id';
import {
  configureChannel,
  configureEmail,
  createPushCampaign,
  expandAll,
  newCampaign,
  registerUsers,
  someDevices,
  someIds,
} from '@tidings/testing';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;

type Page = {
  readonly items: readonly Record<string, unknown>[];
  readonly nextCursor: string | null;
};

const get = <T = Record<string, unknown>>(path: string, { asServer: headers }: TestApi = api) =>
  api.request<T>('GET', path, { headers });

async function accepted(overrides: Partial<NewCampaign> = {}): Promise<NewCampaign> {
  const campaign = newCampaign({ applicationId: tenant.applicationId, ...overrides });
  await acceptCampaign(db, campaign);
  return campaign;
}

/** A campaign to three recipients: one sent, one failed, one pending. */
async function halfDone(): Promise<NewCampaign> {
  const recipients = someIds(3);
  await configureEmail(db, tenant.applicationId);
  await db.sql.query(`update channel_settings set status = 'ready' where application_id = $1`, [
    tenant.applicationId,
  ]);
  await registerUsers(db, tenant.applicationId, recipients);
  const campaign = await accepted({ recipients });
  await expandAll(db, campaign.campaignId);
  const claimed = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 2,
  });
  // In the order of the recipients: a claim is unordered.
  const [sent, failed] = claimed.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  if (!sent || !failed) throw new Error('not claimed');
  await changeDeliveryStates(
    db.sql,
    ['claimed'],
    [
      {
        deliveryId: sent.deliveryId,
        fence: sent.fence,
        state: 'sent',
        providerCode: '250',
        providerMessage: '250 Ok',
      },
      { deliveryId: failed.deliveryId, fence: failed.fence, state: 'failed', reason: 'no_address' },
    ],
  );
  return campaign;
}

/** Reads all pages. */
async function all(
  path: string,
  limit: number,
): Promise<{ readonly items: Record<string, unknown>[]; readonly pages: number }> {
  const items: Record<string, unknown>[] = [];
  let cursor: string | null = '';
  let pages = 0;
  while (cursor !== null) {
    const { body }: { body: Page } = await get<Page>(
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${encodeURIComponent(cursor)}`,
    );
    items.push(...body.items);
    cursor = body.nextCursor;
    pages += 1;
  }
  return { items, pages };
}

describe('GET campaigns/{id}', () => {
  test('returns the documented record', async () => {
    const campaign = await halfDone();

    const { body } = await get(`campaigns/${campaign.campaignId}`);

    expect(body).toEqual({
      campaignId: campaign.campaignId,
      name: null,
      tags: [],
      channel: 'EMAIL',
      purpose: 'transactional',
      source: 'api',
      automation: null,
      status: 'sending',
      message: campaign.message,
      templates: null,
      winner: null,
      recipients: { requested: 3, unique: 3 },
      audience: null,
      schedule: null,
      failureReason: null,
      recipientsDeletedAt: null,
      counts: {
        total: 3,
        pending: 1,
        waiting: 0,
        sent: 1,
        delivered: 0,
        displayed: 0,
        opened: 0,
        clicked: 0,
        successful: 1,
        failed: 1,
        unknown: 0,
        expired: 0,
        canceled: 0,
        unsubscribed: 0,
        complained: 0,
        machineOpened: 0,
        machineClicked: 0,
      },
      result: { verdict: null, attempted: 1, notReachable: 1, successRate: 1 },
      failures: { no_address: 1 },
      bounces: {},
      timing: {
        createdAt: campaign.createdAt,
        startedAt: expect.any(Number),
        firstSentAt: expect.any(Number),
        lastSentAt: expect.any(Number),
        completedAt: null,
        durationMs: null,
        p50Ms: expect.any(Number),
        p95Ms: expect.any(Number),
      },
      createdBy: 'test',
      requestId: campaign.requestId,
    });
  });

  test('accepts the id in any letter case', async () => {
    const { campaignId } = await accepted();

    expect((await get(`campaigns/${campaignId.toUpperCase()}`)).body).toMatchObject({ campaignId });
  });
});

describe('GET campaigns', () => {
  test('pages through all of them, newest first, each once', async () => {
    await using own = await startTestApi();
    const campaigns: NewCampaign[] = [];
    for (let made = 0; made < 5; made += 1)
      campaigns.push(await accepted({ applicationId: own.tenant.applicationId }));
    const newestFirst = campaigns
      .map(({ campaignId }) => campaignId)
      .toSorted()
      .toReversed();

    const first = await get<Page>('campaigns?limit=2', own);
    const second = await get<Page>(`campaigns?limit=2&cursor=${first.body.nextCursor}`, own);
    const last = await get<Page>(`campaigns?limit=2&cursor=${second.body.nextCursor}`, own);

    expect(
      [first, second, last].flatMap(({ body }) => body.items.map(({ campaignId }) => campaignId)),
    ).toEqual(newestFirst);
    expect(last.body.nextCursor).toBeNull();
    expect((await get<Page>('campaigns?limit=5', own)).body.nextCursor).toBeNull();
  });

  test('filters by channel, status and source', async () => {
    await using own = await startTestApi();
    const { applicationId } = own.tenant;
    const sms = await accepted({ applicationId, channel: 'SMS' });
    const test = await accepted({ applicationId, source: 'test' });
    const begun = await accepted({ applicationId });
    await expandAll(db, begun.campaignId);
    const ids = async (query: string) =>
      (await get<Page>(`campaigns?${query}`, own)).body.items.map(({ campaignId }) => campaignId);

    expect(await ids('channel=SMS')).toEqual([sms.campaignId]);
    expect(await ids('source=test')).toEqual([test.campaignId]);
    expect(await ids('status=sending')).toEqual([begun.campaignId]);
    expect(await ids('channel=SMS&status=sending')).toEqual([]);
    expect((await ids('')).length).toBe(3);
  });
});

describe('GET campaigns/{id}/deliveries', () => {
  test('returns the outcome of each recipient', async () => {
    const campaign = await halfDone();

    const { body } = await get<Page>(`campaigns/${campaign.campaignId}/deliveries`);

    expect(body.nextCursor).toBeNull();
    expect(body.items.map(({ customUserId }) => customUserId)).toEqual(campaign.recipients);
    expect(
      body.items.map(({ status, reason, providerCode, providerMessage }) => [
        status,
        reason,
        providerCode,
        providerMessage,
      ]),
    ).toEqual([
      ['sent', null, '250', '250 Ok'],
      ['failed', 'no_address', null, null],
      ['pending', null, null, null],
    ]);
    expect(body.items[0]).toEqual({
      deliveryId: expect.any(String),
      customUserId: campaign.recipients[0],
      serviceUserId: null,
      account: null,
      accountReason: null,
      status: 'sent',
      reason: null,
      providerCode: '250',
      providerMessage: '250 Ok',
      bounce: null,
      attempts: 0,
      createdAt: expect.any(Number),
      sentAt: expect.any(Number),
      deliveredAt: null,
      displayedAt: null,
      openedAt: null,
      clickedAt: null,
      updatedAt: expect.any(Number),
      template: null,
      person: { firstName: null, lastName: null, email: 'ada@example.org', phoneNumber: null },
    });
  });

  test('of push channels returns the outcome of each device, and the best one for the user', async () => {
    await configureChannel(db, tenant.applicationId, 'WEB_PUSH');
    const { campaignId, recipients } = await createPushCampaign(db, {
      applicationId: tenant.applicationId,
      devices: someDevices(2, 0),
    });
    const claimed = await claimChunk(db, {
      channel: 'WEB_PUSH',
      campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 9,
    });
    await markSending(db, claimed, 60_000);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      claimed.map((send, index) => ({
        ...targetOf(send),
        fence: send.fence,
        ...(index === 0
          ? { state: 'sent', providerCode: '201' }
          : { state: 'failed', reason: 'no_subscription' }),
      })),
    );

    const { body, text } = await get<Page>(`campaigns/${campaignId}/deliveries`);

    const refOf = (send: (typeof claimed)[number] | undefined) =>
      publicDeviceId({
        applicationId: tenant.applicationId,
        deviceId: send?.device?.deviceId ?? '',
      });
    for (const { device } of claimed.filter(({ device }) => device?.deviceId != null))
      expect(text).not.toContain(device?.deviceId);
    const untried = { providerMessage: null, updatedAt: expect.any(Number) };
    expect(body.items).toMatchObject([
      {
        status: 'sent',
        attempts: 2,
        addresses: [
          {
            addressNo: 0,
            deviceRef: refOf(claimed[0]),
            status: 'sent',
            reason: null,
            providerCode: '201',
            attempts: 1,
            sentAt: expect.any(Number),
            ...untried,
          },
          {
            addressNo: 1,
            deviceRef: refOf(claimed[1]),
            status: 'failed',
            reason: 'no_subscription',
            providerCode: null,
            attempts: 1,
            sentAt: null,
            ...untried,
          },
        ],
      },
      { status: 'failed', reason: 'no_subscription' },
    ]);
    const reachable = async (user = '') => (await get(`users/${user}`)).body['reachable'];
    expect(await reachable(recipients[0])).toMatchObject({
      WEB_PUSH: { ok: true },
      APP_PUSH: { ok: false },
    });
    expect(await reachable(recipients[1])).toMatchObject({
      WEB_PUSH: { ok: false, reason: 'no_subscription' },
    });
    const events = (await get<Page>(`campaigns/${campaignId}/events`)).body.items;
    expect(
      events
        .filter(({ type }) => String(type).startsWith('address.'))
        .map(({ addressNo }) => addressNo),
    ).toEqual([0, 1]);
  });

  test('pages through all of them, each once', async () => {
    const recipients = someIds(45);
    const campaign = await accepted({ recipients });
    await expandAll(db, campaign.campaignId);

    const { items, pages } = await all(`campaigns/${campaign.campaignId}/deliveries`, 10);

    expect(pages).toBe(5);
    expect(items.map(({ customUserId }) => customUserId)).toEqual(recipients);
  });

  test('filters by status, reason and customUserId', async () => {
    const campaign = await halfDone();
    const ids = async (query: string) =>
      (await get<Page>(`campaigns/${campaign.campaignId}/deliveries?${query}`)).body.items.map(
        ({ customUserId }) => customUserId,
      );
    const [sent, failed, pending] = campaign.recipients;

    expect(await ids('status=sent')).toEqual([sent]);
    expect(await ids('reason=no_address')).toEqual([failed]);
    expect(await ids(`customUserId=${pending}`)).toEqual([pending]);
    expect(await ids('customUserId=unregistered')).toEqual([]);
    expect(await ids('status=failed&reason=unknown_user')).toEqual([]);
  });
});

describe('GET campaigns/{id}/events', () => {
  test('returns the whole log, oldest first, page by page', async () => {
    const campaign = await halfDone();

    const { items, pages } = await all(`campaigns/${campaign.campaignId}/events`, 3);

    expect(pages).toBe(2);
    expect(items.map(({ type }) => type)).toEqual([
      'campaign.queued',
      'campaign.started',
      'delivery.sent',
      'delivery.failed',
    ]);
    expect(items.map(({ at }) => Number(at)).toSorted((a, b) => a - b)).toEqual(
      items.map(({ at }) => at),
    );
    expect(items.at(-1)).toMatchObject({
      deliveryId: expect.any(String),
      status: 'failed',
      reason: 'no_address',
    });
  });
});
