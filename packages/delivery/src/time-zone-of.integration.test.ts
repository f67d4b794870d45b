import { afterAll, describe, expect, test } from '@jest/globals';
import type { Purpose } from '@tidings/contracts/push/purposes';
import {
  connectTestDatabase,
  createPushCampaign,
  createSendingCampaign,
  giveDevices,
  someDevices,
} from '@tidings/testing';
import { claimChunk } from './claims.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const claim = (campaignId: string, channel: 'EMAIL' | 'WEB_PUSH') =>
  claimChunk(db, {
    channel,
    campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 10,
  });

/** Says where devices are, the one that was seen last first. */
async function locate(applicationId: string, timeZones: readonly (string | null)[]): Promise<void> {
  await db.sql.query(
    `update devices v set time_zone = x.zone from (
       select device_id, ($2::text[])[row_number() over (order by seen_at desc)] as zone from devices where application_id = $1) x
     where v.application_id = $1 and v.device_id = x.device_id`,
    [applicationId, timeZones],
  );
}

const sayWhere = (applicationId: string, timeZone: string) =>
  db.sql.query(
    `update users set custom_attributes = jsonb_build_object('timeZone', $2::text) where application_id = $1`,
    [applicationId, timeZone],
  );

describe('where a recipient is', () => {
  test('says the device that a push goes to', async () => {
    const { applicationId, campaignId } = await createPushCampaign(db, {
      devices: someDevices(2),
      purpose: 'marketing',
    });
    await locate(applicationId, ['Asia/Tokyo', 'Europe/Berlin']);

    expect((await claim(campaignId, 'WEB_PUSH')).map(({ timeZone }) => timeZone)).toEqual([
      'Asia/Tokyo',
      'Europe/Berlin',
    ]);
  });

  test('is not read for a push without quiet hours', async () => {
    const { applicationId, campaignId } = await createPushCampaign(db, {
      devices: someDevices(1),
      purpose: 'transactional',
    });
    await locate(applicationId, ['Asia/Tokyo']);

    expect((await claim(campaignId, 'WEB_PUSH')).map(({ timeZone }) => timeZone)).toEqual([null]);
  });

  test.each<[string, Purpose, readonly (string | null)[], string | null]>([
    ['the device seen last', 'marketing', ['Asia/Tokyo', 'Europe/Berlin'], 'Asia/Tokyo'],
    ['the device seen last that knows', 'marketing', [null, 'Europe/Berlin'], 'Europe/Berlin'],
    ['none, where no device has one', 'marketing', [null, null], null],
    ['none, where no quiet hours need it', 'transactional', ['Asia/Tokyo', null], null],
  ])('says, of any other message, %s', async (_name, purpose, timeZones, expected) => {
    const { applicationId, campaignId, recipients } = await createSendingCampaign(db, { purpose });
    await giveDevices(db, {
      applicationId,
      devices: { [String(recipients[0])]: Object.values(someDevices(2)).flat() },
    });
    await locate(applicationId, timeZones);

    expect((await claim(campaignId, 'EMAIL')).map(({ timeZone }) => timeZone)).toEqual([expected]);
  });

  test('says the application before any device', async () => {
    const { applicationId, campaignId } = await createPushCampaign(db, {
      devices: someDevices(1),
      purpose: 'marketing',
    });
    await locate(applicationId, ['Asia/Tokyo']);
    await sayWhere(applicationId, 'America/Lima');

    expect((await claim(campaignId, 'WEB_PUSH')).map(({ timeZone }) => timeZone)).toEqual([
      'America/Lima',
    ]);
  });
});
