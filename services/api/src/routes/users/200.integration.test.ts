import { afterAll, describe, expect, test } from '@jest/globals';
import { markChannelReady } from '@tidings/accounts/channel-settings';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { registerDevice } from '@tidings/people/devices/device-users';
import { readDevice } from '@tidings/people/devices/devices';
import { publicDeviceId } from '@tidings/people/devices/public-device-id';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock, systemIds } from '@tidings/platform';
import { configureEmail, registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;

type UserAnswer = {
  readonly reachable: Record<string, { readonly ok: boolean; readonly reason?: string }>;
};

const get = <T = Record<string, unknown>>(path: string) =>
  api.request<T>('GET', path, { headers: api.asServer });

async function userIdOf(customUserId: string): Promise<string> {
  const { rows } = await db.sql.query<{ id: string }>(
    'select id from users where application_id = $1 and custom_user_id = $2',
    [tenant.applicationId, customUserId],
  );
  return String(rows[0]?.id);
}

describe('GET users/{customUserId}', () => {
  test('returns the user with profile, ids and reachability', async () => {
    await registerUsers(db, tenant.applicationId, {
      ada: { email: 'ada@example.org', firstName: 'Ada' },
    });
    const serviceUserId = systemIds.uuid();
    await db.sql.query(
      'insert into user_identities (application_id, service_user_id, user_id) values ($1, $2, $3)',
      [tenant.applicationId, serviceUserId, await userIdOf('ada')],
    );

    const { status, body } = await get('users/ada');

    expect(status).toBe(200);
    expect(body).toEqual({
      customUserId: 'ada',
      serviceUserIds: [serviceUserId],
      registeredAt: expect.any(Number),
      updatedAt: expect.any(Number),
      profile: { email: 'ada@example.org', firstName: 'Ada', customAttributes: {} },
      reachable: Object.fromEntries(
        CHANNELS.map((channel) => [channel, { ok: false, reason: 'channel_not_configured' }]),
      ),
      devices: [],
    });
  });

  test('has the number that an SMS goes to, and which other one may be meant', async () => {
    await updateApplication(db, tenant.applicationId, { settings: { defaultCountry: 'DE' } });
    await registerUsers(db, tenant.applicationId, {
      called: { phoneNumber: '49 151 23456789', phoneE164: '+494915123456789' },
    });

    const { body } = await get<UserAnswer>('users/called');

    expect(body.reachable['SMS']).toEqual({
      ok: false,
      reason: 'channel_not_configured',
      number: '+494915123456789',
      otherReading: '+4915123456789',
    });
  });

  test('has the devices, each by a reference that is not a credential', async () => {
    const { applicationId } = tenant;
    const deviceId = 'what-only-the-device-knows';
    await registerUsers(db, applicationId, ['with-a-device']);
    await registerDevice(db, systemClock, {
      applicationId,
      deviceId,
      customUserId: 'with-a-device',
      facts: { kind: 'fcm', address: { text: 'a token', identity: 'a token' }, locale: 'de-DE' },
    });

    const { body, text } = await get('users/with-a-device');

    const [device] = body['devices'] as readonly { readonly deviceRef: string }[];
    expect(device).toMatchObject({
      deviceRef: publicDeviceId({ applicationId, deviceId }),
      kind: 'fcm',
      reachable: true,
      locale: 'de-DE',
    });
    expect(text).not.toContain(deviceId);
    expect(
      await readDevice(db.sql, { applicationId, deviceId: String(device?.deviceRef) }),
    ).toBeNull();
  });

  test.each(['مرحبا', 'a/b', 'a%b', ' ', '__proto__', '👩‍👩‍👧'])(
    'finds %j, encoded in the path',
    async (customUserId) => {
      await registerUsers(db, tenant.applicationId, [customUserId]);

      const { body } = await get(`users/${encodeURIComponent(customUserId)}`);

      expect(body).toMatchObject({ customUserId });
    },
  );

  test('returns why a channel cannot reach the user: channel first, then address', async () => {
    await registerUsers(db, tenant.applicationId, ['reached']);
    await registerUsers(db, tenant.applicationId, {
      hashed: { hashedEmail: 'abc' },
      nowhere: {},
      wrong: { email: 'a@b.example, c@d.example' },
    });
    const email = async (customUserId: string) =>
      (await get<UserAnswer>(`users/${customUserId}`)).body.reachable['EMAIL'];
    await configureEmail(db, tenant.applicationId);
    expect(await email('reached')).toEqual({ ok: false, reason: 'channel_not_configured' });
    await db.sql.query(`update applications set settings = '{"sendUntested":true}' where id = $1`, [
      tenant.applicationId,
    ]);
    expect(await email('reached')).toEqual({ ok: true });
    await db.sql.query(`update applications set settings = '{}' where id = $1`, [
      tenant.applicationId,
    ]);

    await markChannelReady(db, {
      applicationId: tenant.applicationId,
      channel: 'EMAIL',
      version: 1,
    });

    expect(await email('reached')).toEqual({ ok: true });
    expect(await email('hashed')).toEqual({ ok: false, reason: 'hashed_only' });
    expect(await email('nowhere')).toEqual({ ok: false, reason: 'no_address' });
    expect(await email('wrong')).toEqual({ ok: false, reason: 'invalid_address' });
  });
});

describe('GET users/{customUserId}/events', () => {
  async function insertEvents(customUserId: string, times: readonly string[]): Promise<void> {
    await db.sql.query(
      `insert into definitions (application_id, slug, kind, name, origin) values ($1, 'abcde', 'action', 'bought', 'auto') on conflict do nothing`,
      [tenant.applicationId],
    );
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes)
       select uuidv7(), 0, $1, $2, 'm-' || t, 'action', 'abcde', t::bigint, now(), '{"big": 9007199254740993}' from unnest($3::text[]) as t`,
      [tenant.applicationId, await userIdOf(customUserId), times],
    );
  }

  test('are complete, newest first, page by page, with every digit', async () => {
    await registerUsers(db, tenant.applicationId, ['buyer']);
    const times = ['-5', '0', '1700000000000', '9007199254740993', '9223372036854775807'];
    await insertEvents('buyer', times);

    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { text, body }: { text: string; body: { nextCursor: string | null } } = await get(
        `users/buyer/events?limit=2&cursor=${cursor}`,
      );
      seen.push(...[...text.matchAll(/"time":(-?\d+)/g)].map(([, time = '']) => time));
      expect(text).toContain('"big":9007199254740993');
      cursor = body.nextCursor;
    }

    expect(seen).toEqual(times.toReversed());
  });

  test('are empty at first', async () => {
    await registerUsers(db, tenant.applicationId, ['quiet']);

    expect((await get('users/quiet/events')).body).toEqual({ items: [], nextCursor: null });
  });
});
