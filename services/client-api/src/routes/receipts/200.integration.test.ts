import { afterAll, describe, expect, test } from '@jest/globals';
import type { ReceiptEvent } from '@tidings/contracts/client-side';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { systemIds } from '@tidings/platform';
import { offerTo, registerUser } from '../../testing/inbox-messages.ts';
import { callSdk, createSdkApplication, createTestDevice } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

async function withAda() {
  const own = await createSdkApplication(db);
  await registerUser(db, own.applicationId);
  const device = (customUserId: string | null = 'ada') =>
    createTestDevice(db, { applicationId: own.applicationId, customUserId });
  const { deviceId } = await device();
  const tell = async (
    receipts: readonly {
      readonly deliveryId: string;
      readonly event: ReceiptEvent;
      readonly buttonIndex?: number;
      readonly at?: number;
    }[],
    from = deviceId,
  ) => {
    const { status, body } = await callSdk(api, 'receipts', {
      method: 'POST',
      headers: own.headers,
      body: { deviceId: from, receipts },
    });
    expect(status).toBe(200);
    return (body as { readonly results: readonly { readonly status: string }[] }).results.map(
      (result) => result.status,
    );
  };
  const fetched = async (id = deviceId) =>
    ((await callSdk(api, `messages?deviceId=${id}&wait=0`, own)).body as { messages: unknown[] })
      .messages.length;
  return { ...own, deviceId, device, tell, fetched };
}

describe('POST /sdk/v1/receipts', () => {
  test.each(['IN_APP', 'ON_SITE'] as const)(
    '%s: received confirms the lease but is no success; displayed and clicked are',
    async (channel) => {
      const { applicationId, device, tell, fetched } = await withAda();
      const { deliveryId, campaignId, read, counts } = await offerTo(db, {
        applicationId,
        channel,
      });
      expect(await fetched()).toBe(1);

      expect(await tell([{ deliveryId, event: 'received' }])).toEqual(['noted']);
      expect(await read()).toMatchObject({ status: 'waiting' });
      await db.sql.query(
        `update inbox set lease_until = now() where delivery_id = $1 and lease_until <> 'infinity'`,
        [deliveryId],
      );
      expect(await fetched((await device()).deviceId)).toBe(0);

      expect(
        await tell([
          { deliveryId, event: 'displayed' },
          { deliveryId, event: 'clicked', buttonIndex: 1 },
          { deliveryId, event: 'received' },
        ]),
      ).toEqual(['noted', 'noted', 'nothing_new']);
      expect(await read()).toMatchObject({
        status: 'clicked',
        displayedAt: expect.any(Number),
        clickedAt: expect.any(Number),
      });
      expect(await counts()).toMatchObject({ waiting: 0, successful: 1, displayed: 1, clicked: 1 });
      expect((await listCampaignEvents(db, campaignId, { limit: 50 })).at(-1)).toMatchObject({
        type: 'delivery.clicked',
        detail: 'button 1',
      });
    },
  );

  test.each(['WEB_PUSH', 'APP_PUSH'] as const)('%s: received is delivered', async (channel) => {
    const { applicationId, tell } = await withAda();
    const { deliveryId, read } = await offerTo(db, { applicationId, channel });

    for (const [event, status] of [
      ['received', 'delivered'],
      ['displayed', 'displayed'],
      ['dismissed', 'displayed'],
      ['clicked', 'clicked'],
    ] as const) {
      expect(await tell([{ deliveryId, event }])).toEqual(['noted']);
      expect(await read()).toMatchObject({ status });
    }
  });

  test('twice, at once and later, changes nothing', async () => {
    const { applicationId, tell } = await withAda();
    const { deliveryId, campaignId, counts } = await offerTo(db, { applicationId });

    const told = await Promise.all(
      Array.from({ length: 10 }, () => tell([{ deliveryId, event: 'displayed' }])),
    );
    expect(told.flat().toSorted()).toEqual(
      [...Array.from({ length: 9 }, () => 'nothing_new'), 'noted'].toSorted(),
    );
    expect(await tell([{ deliveryId, event: 'displayed' }])).toEqual(['nothing_new']);

    expect(await counts()).toMatchObject({ displayed: 1 });
    expect(
      (await listCampaignEvents(db, campaignId, { limit: 50 })).filter(
        ({ type }) => type === 'delivery.displayed',
      ),
    ).toHaveLength(1);
  });

  test('of messages of one’s own user alone, on channels that devices show; one that is not found keeps no other', async () => {
    const { applicationId, device, tell } = await withAda();
    await registerUser(db, applicationId, 'bob');
    const elsewhere = await withAda();
    const [own, bobs, mail, others] = [
      await offerTo(db, { applicationId }),
      await offerTo(db, { applicationId, recipient: 'bob' }),
      await offerTo(db, { applicationId, channel: 'WEB_HOOK' }),
      await offerTo(db, { applicationId: elsewhere.applicationId }),
    ];
    const all = [bobs, mail, others, own]
      .map(({ deliveryId }) => ({ deliveryId, event: 'displayed' as const }))
      .concat({ deliveryId: systemIds.uuid(), event: 'displayed' });

    expect(await tell(all, (await device(null)).deviceId)).toEqual(
      Array.from({ length: 5 }, () => 'not_found'),
    );
    expect(await tell(all)).toEqual(['not_found', 'not_found', 'not_found', 'noted', 'not_found']);

    expect(
      await Promise.all([bobs, mail, others].map(async ({ read }) => (await read())?.status)),
    ).toEqual(['waiting', 'sent', 'waiting']);
  });

  test('as a beacon', async () => {
    const { applicationId, clientKey, deviceId } = await withAda();
    const { deliveryId, read } = await offerTo(db, { applicationId });

    const { status } = await callSdk(api, 'receipts', {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: JSON.stringify({
        applicationId,
        apiKey: clientKey,
        body: {
          deviceId,
          receipts: [{ deliveryId: deliveryId.toUpperCase(), event: 'dismissed', at: 5 }],
        },
      }),
    });

    expect(status).toBe(200);
    expect(await read()).toMatchObject({ status: 'displayed' });
  });
});

test.each([
  [{}],
  [{ receipts: [] }],
  [{ receipts: [{ deliveryId: 'x', event: 'displayed' }] }],
  [{ receipts: [{ deliveryId: systemIds.uuid(), event: 'opened' }] }],
  [{ receipts: [{ deliveryId: systemIds.uuid(), event: 'displayed', at: 'now' }] }],
  [
    {
      receipts: Array.from({ length: 101 }, () => ({
        deliveryId: systemIds.uuid(),
        event: 'displayed',
      })),
    },
  ],
])('an invalid receipt gets 400 %#', async (body) => {
  const { headers, deviceId } = await withAda();

  const { status, problem } = await callSdk(api, 'receipts', {
    method: 'POST',
    headers,
    body: { deviceId, ...body },
  });

  expect([status, problem.code]).toEqual([400, 'validation_failed']);
});
