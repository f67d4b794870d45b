import { afterAll, describe, expect, test } from '@jest/globals';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import {
  configureChannel,
  createOwnDatabase,
  createSendingCampaign,
  createTestApplication,
} from '@tidings/testing';
import type { NewCampaign } from './accept.ts';
import { changeDeliveryStates } from './change-states.ts';
import { claimChunk } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { purgeProviderIds, knownProviderIds, takeUnknownDeliveries } from './outcome-polling.ts';
import { applyStatusUpdate } from './status-updates.ts';

// Look-ups are for all applications.
const db = await createOwnDatabase();
afterAll(() => db.close());

const TIMES = { afterMs: 60_000, intervalMs: 60_000, untilMs: 900_000 };
const take = (times: Partial<typeof TIMES> = {}) =>
  takeUnknownDeliveries(db, 'SMS', { ...TIMES, ...times });

async function age(
  { campaignId }: NewCampaign,
  seconds: number,
  column: 'updated_at' | 'looked_up_at' = 'updated_at',
): Promise<void> {
  await db.sql.query(
    `update deliveries set ${column} = ${column} - $2::int * interval '1 s' where campaign_id = $1`,
    [campaignId, seconds],
  );
  await db.sql.query(
    `update open_outcomes o set since = d.updated_at from deliveries d where d.id = o.delivery_id and d.campaign_id = $1`,
    [campaignId],
  );
}

/** A campaign of one SMS, unknown for some seconds. */
async function unknownSms(
  seconds: number,
  {
    applicationId,
    body = 'Hello',
    phone = '+4915112345001',
    state = 'unknown',
    templates = null,
  }: {
    applicationId?: string;
    body?: string;
    phone?: string;
    state?: 'unknown' | 'retry_wait';
    templates?: readonly CampaignTemplate[] | null;
  } = {},
) {
  const application = applicationId ?? (await createTestApplication(db)).applicationId;
  if (applicationId === undefined) await configureChannel(db, application, 'SMS');
  const campaign = await createSendingCampaign(db, {
    applicationId: application,
    channel: 'SMS',
    message: { body },
    templates,
  });
  await db.sql.query(
    'update users u set phone_e164 = $2 from deliveries d where d.user_id = u.id and d.campaign_id = $1',
    [campaign.campaignId, phone],
  );
  const claimed = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: templates === null ? 0 : -1,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  await markSending(db, claimed, 60_000);
  await changeDeliveryStates(
    db.sql,
    ['sending'],
    claimed.map(({ deliveryId, fence }) => ({
      deliveryId,
      fence,
      state,
      reason: 'outcome_unknown',
      delayMs: 1_200_000,
    })),
  );
  await age(campaign, seconds);
  const [only] = claimed;
  if (only === undefined) throw new Error('nothing was claimed');
  return { ...campaign, deliveryId: only.deliveryId, fence: only.fence };
}
const settle = ({ deliveryId, fence }: { deliveryId: string; fence: number }) =>
  applyStatusUpdate(db, { deliveryId, fence, state: 'delivered', providerId: deliveryId });

describe('a delivery whose outcome is unknown', () => {
  test('is polled after the time for callbacks, again later, and not forever', async () => {
    const sms = await unknownSms(30);
    expect(await take()).toEqual([]);

    await age(sms, 31);
    const [taken] = await take();
    expect(taken).toMatchObject({
      deliveryId: sms.deliveryId,
      fence: sms.fence,
      message: { body: 'Hello' },
      profile: { phoneE164: '+4915112345001' },
      rivals: 0,
    });
    expect(taken?.unknownSince).toBeLessThan(Date.now() - 60_000);
    // No other worker polls a taken delivery.
    expect(await take()).toEqual([]);

    await age(sms, 61, 'looked_up_at');
    expect(await take()).toHaveLength(1);

    await age(sms, 61, 'looked_up_at');
    await age(sms, 900);
    expect(await take()).toEqual([]);
  });

  test('that is settled meanwhile is not polled', async () => {
    const sms = await unknownSms(120);
    expect(await settle(sms)).toBe(true);

    expect(await take()).toEqual([]);
  });

  test('is polled while it waits for a retry; with a known outcome it is not sent', async () => {
    const sms = await unknownSms(120, { state: 'retry_wait' });

    expect(await take()).toMatchObject([{ deliveryId: sms.deliveryId, rivals: 0 }]);
    expect(await settle(sms)).toBe(true);

    await db.sql.query('update deliveries set next_at = now() where id = $1', [sms.deliveryId]);
    expect(
      await claimChunk(db, {
        campaignId: sms.campaignId,
        chunkNo: 0,
        owner: 'worker',
        leaseMs: 60_000,
        rowsMax: 1,
      }),
    ).toEqual([]);
  });

  test('has as rivals those that could be taken for it: same application, number and text, and open', async () => {
    const sms = await unknownSms(120);
    const { applicationId } = sms;
    const others = [
      await unknownSms(10, { applicationId }),
      await unknownSms(10, { applicationId, state: 'retry_wait' }),
      await unknownSms(10, { applicationId, body: 'Another text' }),
      await unknownSms(10, { applicationId, phone: '+4915112345002' }),
      await unknownSms(10),
    ];

    expect(await take()).toMatchObject([{ deliveryId: sms.deliveryId, rivals: 2 }]);

    for (const other of others) await settle(other);
    await age(sms, 61, 'looked_up_at');
    expect(await take()).toMatchObject([{ rivals: 0 }]);
    await settle(sms);
  });

  test('has each personalised one to the same number as a rival, whose text may be any', async () => {
    const sms = await unknownSms(120);
    const { applicationId } = sms;
    const message = { body: '{{ user.firstName }}' };
    const templates = [{ slug: null, version: null, share: 1, message, variants: [] }];
    const personal = await unknownSms(10, { applicationId, templates });

    expect(await take()).toMatchObject([{ deliveryId: sms.deliveryId, rivals: 1 }]);

    await age(personal, 120);
    expect(await take()).toMatchObject([
      { deliveryId: personal.deliveryId, message: null, rivals: 1 },
    ]);
    for (const one of [sms, personal]) await settle(one);
  });
});

test('ids of the provider that belong to deliveries are known', async () => {
  const sms = await unknownSms(10);
  await settle(sms);

  expect(await knownProviderIds(db, [sms.deliveryId, 'SM0'])).toEqual(new Set([sms.deliveryId]));
});

test('an id is deleted with deliveries of its age', async () => {
  const [old, young] = [await unknownSms(10), await unknownSms(10)];
  for (const sms of [old, young]) await settle(sms);
  await db.sql.query(
    "update provider_ids set known_at = now() - interval '91 days' where provider_id = $1",
    [old.deliveryId],
  );

  await purgeProviderIds(db, { days: 90, limit: 1_000 });

  expect(await knownProviderIds(db, [old.deliveryId, young.deliveryId])).toEqual(
    new Set([young.deliveryId]),
  );
});
