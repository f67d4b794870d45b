import { afterAll, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates, targetOf } from '@tidings/delivery/change-states';
import { appendRecipients } from '@tidings/delivery/append-recipients';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { systemClock, systemIds } from '@tidings/platform';
import {
  createPushCampaign,
  createSendingApplication,
  connectTestDatabase,
  expandAll,
  newCampaign,
  registerUsers,
  someDevices,
} from '@tidings/testing';
import { deleteUser } from './delete-user.ts';
import { exportUser } from './export-user.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

/** A sent campaign; for each recipient the provider repeats the address in its response. */
async function sendCampaign(
  applicationId: string,
  recipients: readonly string[],
  source: 'api' | 'test' = 'api',
): Promise<string> {
  const campaign = newCampaign({ applicationId, recipients, source });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  const deliveries = await listDeliveries(db, campaign.campaignId, { limit: 10 });
  await db.transaction((sql) =>
    changeDeliveryStates(
      sql,
      ['pending'],
      deliveries.map(({ deliveryId, customUserId }) => ({
        deliveryId,
        fence: null,
        state: 'sent',
        providerCode: '250',
        providerMessage: `250 accepted for ${customUserId}@example.com`,
      })),
    ),
  );
  return campaign.campaignId;
}

/** All texts in a campaign's deliveries and log. */
async function textsOf(campaignId: string): Promise<string> {
  const { rows } = await db.sql.query<{ text: string }>(
    'select d::text as text from deliveries d where campaign_id = $1 union all select e::text from campaign_events e where campaign_id = $1',
    [campaignId],
  );
  return rows.map(({ text }) => text).join('\n');
}

test('deleting a user removes their addresses from deliveries and logs, and keeps those of others', async () => {
  const { applicationId } = await createSendingApplication(db);
  await registerUsers(db, applicationId, {
    ada: { email: 'ada@example.com' },
    eve: { email: 'eve@example.com' },
  });
  const campaignIds = [
    await sendCampaign(applicationId, ['ada', 'eve']),
    await sendCampaign(applicationId, ['ada']),
  ];

  expect(await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock })).toBe(
    true,
  );

  const texts = (await Promise.all(campaignIds.map(textsOf))).join('\n');
  expect(texts).not.toContain('ada@example.com');
  expect(texts).toContain('250 accepted for eve@example.com');
  const [first = ''] = campaignIds;
  expect(
    (await listDeliveries(db, first, { limit: 10 })).map(
      ({ customUserId, status, providerCode }) => [customUserId, status, providerCode],
    ),
  ).toEqual([
    ['ada', 'sent', '250'],
    ['eve', 'sent', '250'],
  ]);
  expect(
    (await listCampaignEvents(db, first, { limit: 100 })).filter(
      ({ type }) => type === 'delivery.sent',
    ),
  ).toHaveLength(2);
});

test('deliveries to the user’s devices no longer name them, and none is sent any more', async () => {
  const devices = someDevices(2, 1);
  const campaign = await createPushCampaign(db, { devices });
  const claim = () =>
    claimChunk(db, {
      channel: 'WEB_PUSH',
      campaignId: campaign.campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 10,
    });
  const claimed = await claim();
  await markSending(db, claimed, 60_000);
  const [user = '', other = ''] = Object.keys(devices);
  await changeDeliveryStates(
    db.sql,
    ['sending'],
    claimed.map((send, index) => ({
      ...targetOf(send),
      fence: send.fence,
      state: index === 0 ? 'sent' : 'retry_wait',
      providerMessage: `said of ${send.device?.deviceId}`,
    })),
  );

  await deleteUser(db, {
    applicationId: campaign.applicationId,
    customUserId: user,
    clock: systemClock,
  });

  const { rows } = await db.sql.query<{ text: string }>(
    `select a::text as text from delivery_addresses a where campaign_id = $1 union all select e::text from campaign_events e where campaign_id = $1 union all select d::text from deliveries d where campaign_id = $1`,
    [campaign.campaignId],
  );
  const texts = rows.map(({ text }) => text).join('\n');
  for (const address of devices[user] ?? []) expect(texts).not.toContain(address);
  expect(texts).toContain(`said of device of ${devices[other]?.[0]}`);
  expect((await listDeliveries(db, campaign.campaignId, { limit: 5 }))[0]).toMatchObject({
    status: 'sent',
    addresses: [
      { deviceRef: null, status: 'sent' },
      { deviceRef: null, status: 'retry_wait' },
    ],
  });
  expect((await claim()).map(({ device }) => device?.address)).toEqual([null, devices[other]?.[0]]);
});

test('a test send to the user’s address no longer contains it', async () => {
  const { applicationId } = await createSendingApplication(db);
  await registerUsers(db, applicationId, { ada: { email: 'ada@example.com' } });
  const own = await sendCampaign(applicationId, ['ada@example.com'], 'test');
  const other = await sendCampaign(applicationId, ['eve@example.com'], 'test');

  await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });

  expect(await textsOf(own)).not.toContain('ada@example.com');
  expect(await textsOf(other)).toContain('eve@example.com');
});

test('a test send to another spelling of the user’s address no longer contains it', async () => {
  const { applicationId } = await createSendingApplication(db);
  await registerUsers(db, applicationId, { ada: { email: 'ada@münchen.example' } });
  const own = await sendCampaign(applicationId, ['Ada@xn--mnchen-3ya.example'], 'test');

  await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });

  expect(await textsOf(own)).not.toContain('xn--mnchen-3ya');
});

test('another application’s deliveries to the same id are unchanged', async () => {
  const [own, other] = [await createSendingApplication(db), await createSendingApplication(db)];
  for (const { applicationId } of [own, other])
    await registerUsers(db, applicationId, { ada: { email: 'ada@example.com' } });
  const campaignId = await sendCampaign(other.applicationId, ['ada']);

  await deleteUser(db, {
    applicationId: own.applicationId,
    customUserId: 'ada',
    clock: systemClock,
  });

  expect(await textsOf(campaignId)).toContain('250 accepted for ada@example.com');
});

test('what an automation knew of a message is in the export, and goes with the user', async () => {
  const { applicationId } = await createSendingApplication(db);
  await registerUsers(db, applicationId, ['ada', 'eve']);
  const message = { title: 'Still there?', body: 'Your cart' };
  const event = {
    name: 'cartd',
    time: 1_700_000_000_000,
    attributes: { note: 'a canary', big: 9_007_199_254_740_993n },
    revenue: null,
    currency: null,
  };
  const runs = ['ada', 'eve'].map((customUserId) => ({
    customUserId,
    runId: systemIds.uuid(),
    enteredAt: 1_700_000_000_500,
    event,
  }));
  await db.transaction((sql) =>
    appendRecipients(sql, [
      {
        applicationId,
        automationId: systemIds.uuid(),
        automationSlug: 'cart',
        version: 1,
        node: 'mail',
        channel: 'EMAIL',
        purpose: 'transactional',
        templates: [{ slug: null, version: null, share: 1, message, variants: [] }],
        messageNo: 0,
        templateVersion: 0,
        expiresInMs: 3_600_000,
        heard: [],
        createdBy: 'test',
        shard: 0,
        recipients: runs,
      },
    ]),
  );
  const contexts = async () =>
    (
      await db.sql.query<{ run_id: string }>(
        'select run_id from delivery_contexts where application_id = $1',
        [applicationId],
      )
    ).rows.map((row) => row.run_id);

  const exported = await exportUser(db, applicationId, 'ada');
  for await (const delivery of exported?.deliveries ?? [])
    expect(delivery.run).toEqual({ runId: runs[0]?.runId, enteredAt: 1_700_000_000_500, event });
  expect(await contexts()).toHaveLength(2);

  await deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock });

  expect(await contexts()).toEqual([runs[1]?.runId]);
});
