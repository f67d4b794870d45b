import { afterAll, describe, expect, test } from '@jest/globals';
import { rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import type { DeviceChannel } from '@tidings/contracts/channels/device-channels';
import { acceptCampaign } from '@tidings/delivery/accept';
import { claimChunk } from '@tidings/delivery/claims';
import { identifyDevice, logOutDevice } from '@tidings/people/devices/device-users';
import { readDevice, type Device } from '@tidings/people/devices/devices';
import { resolveIdentities } from '@tidings/people/identities';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock, systemIds } from '@tidings/platform';
import {
  configureChannel,
  expandAll,
  ingestRecord,
  newCampaign,
  testSecretBox,
  transactUntilDone,
} from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { offerTo, registerUser, type ReceivedMessage } from '../testing/inbox-messages.ts';
import { callSdk, createSdkApplication } from '../testing/sdk-application.ts';
import { tokenOf } from '../testing/sign-token.ts';
import { startTestClientApi } from '../testing/test-client-api.ts';

const api = await startTestClientApi();
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

/** An application with the user `victim`, and an attacker's device with a push address. */
async function attacked() {
  const app = await createSdkApplication(db);
  const { applicationId, headers } = app;
  const made = await rotateUserTokenSecret(db, testSecretBox, applicationId);
  if (made === null) throw new Error('the application has no secret');
  const { secret } = made;
  await registerUser(db, applicationId, 'victim');
  const deviceId = systemIds.uuid();
  const post = async (path: string, body: object) =>
    (await callSdk(api, path, { method: 'POST', headers, body })).body as {
      readonly serviceUserId: string;
      readonly isProved: boolean;
    };
  const register = (kind: 'fcm' | 'web_push' | 'none' = 'fcm', more: object = {}) => {
    const subscription = {
      endpoint: `https://a.push.example/${deviceId}`,
      keys: {
        p256dh:
          'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
        auth: 'tBHItJI5svbpez7KI4CCXg',
      },
    };
    return post('devices', {
      deviceId,
      kind,
      ...(kind === 'fcm' && { token: `token-${deviceId}` }),
      ...(kind === 'web_push' && { subscription }),
      ...more,
    });
  };
  /** What a consumer does with a record with both ids. */
  const join = (serviceUserId: string, keyType: 'client' | 'server') =>
    transactUntilDone(db, (sql) =>
      resolveIdentities(sql, [
        ingestRecord({ applicationId, keyType, customUserId: 'victim', serviceUserId }),
      ]),
    );
  const fetchMessages = async () =>
    (
      (await callSdk(api, `messages?deviceId=${deviceId}&wait=0`, { headers })).body as {
        readonly messages: readonly ReceivedMessage[];
      }
    ).messages.map((message) => message.deliveryId);
  const confirm = async (deliveryId: string) => {
    const { body } = await callSdk(api, 'receipts', {
      method: 'POST',
      headers,
      body: { deviceId, receipts: [{ deliveryId, event: 'displayed' }] },
    });
    return (body as { readonly results: readonly { readonly status: string }[] }).results.map(
      ({ status }) => status,
    );
  };
  const read = async (): Promise<Device> => {
    const device = await readDevice(db.sql, { applicationId, deviceId });
    if (device === null) throw new Error('the device is gone');
    return device;
  };
  return { ...app, secret, deviceId, post, register, join, fetchMessages, confirm, read };
}

/** The devices that a push to the victim would reach now. */
async function pushedTo(
  applicationId: string,
  channel: DeviceChannel,
): Promise<(string | null | undefined)[]> {
  await configureChannel(db, applicationId, channel);
  const campaign = newCampaign({ applicationId, channel, recipients: ['victim'] });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  const claimed = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: 0,
    channel,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 10,
  });
  return claimed.map(({ device }) => device?.deviceId);
}

describe.each(['client', 'server'] as const)(
  'a device whose serviceUserId a %s key sent with the customUserId of another user',
  (keyType) => {
    test.each(['IN_APP', 'ON_SITE'] as const)(
      'gets no message by %s and confirms none',
      async (channel) => {
        const { applicationId, register, join, fetchMessages, confirm } = await attacked();
        const { serviceUserId } = await register();
        await join(serviceUserId, keyType);

        const offered = await offerTo(db, { applicationId, recipient: 'victim', channel });

        expect(await fetchMessages()).toEqual([]);
        expect(await confirm(offered.deliveryId)).toEqual(['not_found']);
        expect(await offered.read()).toMatchObject({ status: 'waiting' });
      },
    );

    test.each([
      ['WEB_PUSH', 'web_push'],
      ['APP_PUSH', 'fcm'],
    ] as const)('gets no %s and confirms none', async (channel, kind) => {
      const { applicationId, register, join, confirm } = await attacked();
      const { serviceUserId } = await register(kind);
      await join(serviceUserId, keyType);

      expect(await pushedTo(applicationId, channel)).toEqual([null]);
      const offered = await offerTo(db, { applicationId, recipient: 'victim', channel });
      expect(await confirm(offered.deliveryId)).toEqual(['not_found']);
      expect(await offered.read()).toMatchObject({ status: 'sent' });
    });

    test('gets them once it has proved that person', async () => {
      const { applicationId, secret, deviceId, register, join, post, fetchMessages, confirm } =
        await attacked();
      const first = await register();
      await join(first.serviceUserId, keyType);
      const { deliveryId } = await offerTo(db, { applicationId, recipient: 'victim' });

      const proved = await post('identify', { deviceId, userToken: tokenOf(secret, 'victim') });

      expect([first.isProved, proved]).toEqual([
        false,
        { serviceUserId: first.serviceUserId, isProved: true },
      ]);
      expect(await fetchMessages()).toEqual([deliveryId]);
      expect(await confirm(deliveryId)).toEqual(['noted']);
      expect(await pushedTo(applicationId, 'APP_PUSH')).toEqual([deviceId]);
    });
  },
);

describe('what a device proved', () => {
  test('stays when it registers again without a token', async () => {
    const { secret, register } = await attacked();
    await register('fcm', { userToken: tokenOf(secret, 'victim') });

    expect(await register()).toMatchObject({ isProved: true });
  });

  test.each([
    [
      'a user token does not count',
      (secret: string) => ({ userToken: tokenOf(secret, 'victim') }),
      false,
    ],
    ['a bare customUserId counts', () => ({ customUserId: 'victim' }), true],
  ])('by %s towards the limit of ids joined to the person', async (_, claimOf, isCounted) => {
    const { applicationId, secret, register, post, deviceId } = await attacked();
    await updateApplication(db, applicationId, { settings: { userTokens: 'optional' } });
    const first = await register('none', claimOf(secret));
    await post('logout', { deviceId });
    const second = await post('identify', { deviceId, ...claimOf(secret) });

    const { rows } = await db.sql.query(
      'select by_client_key from user_identities where service_user_id = any($1)',
      [[first.serviceUserId, second.serviceUserId]],
    );
    expect(rows).toEqual([1, 2].map(() => ({ by_client_key: isCounted })));
  });

  test('ends with a log-out, although messages with both ids still belong to the person', async () => {
    const { applicationId, secret, deviceId, register, read, join, fetchMessages } =
      await attacked();
    const before = await register('fcm', { userToken: tokenOf(secret, 'victim') });

    const after = await logOutDevice(db, systemClock, { applicationId, deviceId });
    await offerTo(db, { applicationId, recipient: 'victim' });

    expect(after).toMatchObject({ customUserId: null, joinedTo: null });
    expect([...(await join(before.serviceUserId, 'client')).values()]).toEqual([
      { userId: expect.any(String), isProved: true, isRegistered: true },
    ]);
    expect((await read()).customUserId).toBeNull();
    expect(await fetchMessages()).toEqual([]);
  });

  test('ends with the deletion of the user', async () => {
    const { applicationId, secret, deviceId, register } = await attacked();
    await register('fcm', { userToken: tokenOf(secret, 'victim') });

    await deleteUser(db, {
      applicationId,
      customUserId: 'victim',
      clock: { ...systemClock, now: () => Date.now() - 1_000 },
    });

    expect(await readDevice(db.sql, { applicationId, deviceId })).toBeNull();
    await registerUser(db, applicationId, 'victim');
    expect(await pushedTo(applicationId, 'APP_PUSH')).toEqual([null]);
  });

  test('is replaced by the next proof, under a serviceUserId of the new person', async () => {
    const { applicationId, secret, deviceId, register, read, fetchMessages } = await attacked();
    const { serviceUserId } = await register('fcm', { userToken: tokenOf(secret, 'victim') });

    await identifyDevice(db, systemClock, { applicationId, deviceId, customUserId: 'next' });
    await offerTo(db, { applicationId, recipient: 'victim' });

    const device = await read();
    expect(device).toMatchObject({ customUserId: 'next', joinedTo: 'next' });
    expect(device.serviceUserId).not.toBe(serviceUserId);
    expect(await fetchMessages()).toEqual([]);
  });
});
