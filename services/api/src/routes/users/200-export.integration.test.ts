import { afterAll, expect, test } from '@jest/globals';
import { registerDevice } from '@tidings/people/devices/device-users';
import { publicDeviceId } from '@tidings/people/devices/public-device-id';
import { readUser } from '@tidings/people/users';
import { systemClock } from '@tidings/platform';
import { createSendingCampaign, registerUsers } from '@tidings/testing';
import { insertEvent } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;
const { applicationId } = tenant;

const DEVICE_ID = 'what-only-the-device-knows';

type Export = {
  readonly user: object;
  readonly devices: readonly object[];
  readonly events: readonly { readonly id: string }[];
  readonly deliveries: readonly object[];
};

test('GET users/{customUserId}/export is a download of profile, devices, events and deliveries', async () => {
  const { campaignId } = await createSendingCampaign(db, { applicationId, recipients: ['ada'] });
  const userId = String((await readUser(db, applicationId, 'ada'))?.userId);
  await insertEvent(db, applicationId, { id: 'e1', slug: 'click', userId });
  await registerDevice(db, systemClock, {
    applicationId,
    deviceId: DEVICE_ID,
    customUserId: 'ada',
    facts: { kind: 'fcm', address: { text: 'token', identity: 'token' } },
  });

  const { status, headers, body, text } = await api.request<Export>('GET', 'users/ada/export', {
    headers: api.asServer,
  });

  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toBe('attachment; filename="user.json"');
  expect(body.user).toMatchObject({ customUserId: 'ada', profile: { email: 'ada@example.org' } });
  expect(body.user).not.toHaveProperty('userId');
  expect(body.events).toMatchObject([{ id: 'e1', slug: 'click' }]);
  expect(body.devices).toEqual([
    expect.objectContaining({
      deviceRef: publicDeviceId({ applicationId, deviceId: DEVICE_ID }),
      kind: 'fcm',
      reachable: true,
      address: 'token',
    }),
  ]);
  expect(text).not.toContain(DEVICE_ID);
  expect(body.deliveries).toMatchObject([
    { campaignId, channel: 'EMAIL', status: 'failed', reason: 'channel_not_configured' },
  ]);
  expect(text).toContain('"big":9007199254740993');
});

test('the export contains all events of a user with several pages', async () => {
  await registerUsers(db, applicationId, ['busy']);
  const userId = String((await readUser(db, applicationId, 'busy'))?.userId);
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select uuidv7(), 0, $1, $2, 'b' || n, 'action', 'click', n, now() from generate_series(1, 1234) as n`,
    [applicationId, userId],
  );

  const { body } = await api.request<Export>('GET', 'users/busy/export', {
    headers: api.asServer,
  });

  expect(new Set(body.events.map(({ id }) => id)).size).toBe(1234);
  expect(body.deliveries).toEqual([]);
});
