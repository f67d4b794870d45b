import { describe, expect, test } from '@jest/globals';
import { readChannelSettings } from '@tidings/accounts/channel-settings';
import { CHANNEL_DESCRIPTORS, CHANNELS } from '@tidings/contracts/channels/descriptors';
import { testSecretBox } from '@tidings/testing';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import {
  type Shown,
  IDLE_HEALTH,
  get,
  put,
  stored,
  sendTest,
} from '../../testing/email-channel.ts';

const { password, ...plain } = EMAIL_SETTINGS;

describe('GET channels', () => {
  test('lists every channel with its status', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);

    const { body } = await api.request('GET', 'channels', { headers: api.asAdmin });

    expect(body).toEqual({
      items: CHANNELS.map((channel) => ({
        channel,
        status: channel === 'EMAIL' ? 'untested' : 'not_configured',
        health: IDLE_HEALTH,
      })),
      nextCursor: null,
    });
  });
});

describe('PUT channels/{channel}', () => {
  test('stores the settings as untested; a secret is encrypted and never returned', async () => {
    await using api = await startTestApi();
    expect((await get(api)).body).toEqual({
      channel: 'EMAIL',
      status: 'not_configured',
      health: IDLE_HEALTH,
      settings: {},
    });

    const answers = [await put(api, EMAIL_SETTINGS), await get(api)];

    for (const { status, body, text } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({
        channel: 'EMAIL',
        status: 'untested',
        testedAt: null,
        health: IDLE_HEALTH,
        settings: { ...plain, password: '********' },
        accounts: [expect.objectContaining({ name: 'main', provider: 'smtp' })],
      });
      expect(text).not.toContain(password);
    }
    const { rows } = await api.db.sql.query<{ row: string }>(
      'select channel_settings::text as row from channel_settings where application_id = $1',
      [api.tenant.applicationId],
    );
    expect(rows[0]?.row).not.toContain(password);
    expect(await stored(api)).toMatchObject({ settings: plain, secrets: { password } });
  });

  test('the mask keeps the secret, another value replaces it, omitting it removes it', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);

    await put(api, { ...EMAIL_SETTINGS, port: 25, password: '********' });
    expect(await stored(api)).toMatchObject({
      settings: { port: 25 },
      secrets: { password },
      version: 2,
    });

    await put(api, { ...EMAIL_SETTINGS, password: 'new' });
    expect(await stored(api)).toMatchObject({ secrets: { password: 'new' } });

    expect((await put(api, plain)).body.settings).toEqual(plain);
    expect((await stored(api))?.secrets).toEqual({});
  });

  test('the mask without a stored secret keeps nothing', async () => {
    await using api = await startTestApi();

    await put(api, { ...EMAIL_SETTINGS, password: '********' });

    expect((await stored(api))?.secrets).toEqual({});
  });

  test('makes a ready channel untested', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);
    await sendTest(api, { state: 'sent' });
    expect((await get(api)).body).toMatchObject({
      status: 'ready',
      testedAt: expect.any(Number),
    });

    expect((await put(api, EMAIL_SETTINGS)).body).toMatchObject({
      status: 'untested',
      testedAt: null,
    });
  });
});

describe('PUT of the other channels', () => {
  const whsec = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

  test.each([
    [
      'SMS',
      { accountSid: `AC${'a'.repeat(32)}`, from: '+15005550006' },
      { authToken: 'the token' },
    ],
    [
      'SMS',
      {
        accountSid: `AC${'a'.repeat(32)}`,
        messagingServiceSid: `MG${'b'.repeat(32)}`,
        apiBaseUrl: 'http://127.0.0.1:8025',
      },
      { authToken: 'the token' },
    ],
    [
      'WEB_HOOK',
      { url: 'https://hooks.example.com/tidings?a=b' },
      { secret: whsec(1), previousSecret: whsec(2) },
    ],
    ['WEB_HOOK', {}, { secret: whsec(1) }],
  ] as const)(
    '%s %j: secrets are sealed, masked, and kept by their mask',
    async (channel, plainSettings, secrets) => {
      await using api = await startTestApi();
      const masked = {
        ...plainSettings,
        ...Object.fromEntries(Object.keys(secrets).map((field) => [field, '********'])),
      };
      const write = (body: object) =>
        api.request<Shown>('PUT', `channels/${channel}`, {
          headers: api.asAdmin,
          body,
        });

      const { status, body } = await write({ ...plainSettings, ...secrets });

      // A channel with several providers says which; without a name it is the first.
      const shown = channel === 'SMS' ? { provider: 'twilio', ...masked } : masked;
      expect([status, body]).toEqual([
        200,
        {
          channel,
          status: 'untested',
          testedAt: null,
          health: IDLE_HEALTH,
          settings: shown,
          ...(channel === 'SMS' && {
            accounts: [
              {
                name: 'main',
                provider: 'twilio',
                status: 'untested',
                testedAt: null,
                settings: masked,
              },
            ],
          }),
        },
      ]);
      await write(masked);
      expect(
        await readChannelSettings(api.db, testSecretBox, {
          applicationId: api.tenant.applicationId,
          channel,
        }),
      ).toMatchObject({ settings: plainSettings, secrets, version: 2 });
    },
  );
});

describe('the provider of SMS', () => {
  const TWILIO = { accountSid: `AC${'a'.repeat(32)}`, authToken: 'token', from: '+15005550006' };
  const { example } = CHANNEL_DESCRIPTORS.SMS.providers['vonage'] ?? {};
  const VONAGE = { provider: 'vonage', ...example };
  const call = <T>(api: TestApi, method: string, body?: object) =>
    api.request<T & Shown>(method, 'channels/SMS', {
      headers: api.asAdmin,
      ...(body && { body }),
    });
  const storedSms = ({ db, tenant: { applicationId } }: TestApi) =>
    readChannelSettings(db, testSecretBox, { applicationId, channel: 'SMS' });

  test('is chosen by name; its own secrets are sealed and masked', async () => {
    await using api = await startTestApi();

    const written = await call(api, 'PUT', VONAGE);

    const masked = { ...VONAGE, privateKey: '********', signatureSecret: '********' };
    expect([written.status, written.body.settings]).toEqual([200, masked]);
    expect((await call(api, 'GET')).body.settings).toEqual(masked);
    await call(api, 'PUT', { ...masked, from: 'Shop' });
    expect(await storedSms(api)).toMatchObject({
      settings: { provider: 'vonage', from: 'Shop' },
      secrets: {
        privateKey: example?.['privateKey'],
        signatureSecret: example?.['signatureSecret'],
      },
    });
  });

  test('may change: no secret of the one before is kept, not by its mask either', async () => {
    await using api = await startTestApi();
    await call(api, 'PUT', TWILIO);

    await call(api, 'PUT', { ...VONAGE, signatureSecret: '********' });
    expect((await storedSms(api))?.secrets).toEqual({ privateKey: example?.['privateKey'] });

    await call(api, 'PUT', { provider: 'twilio', ...TWILIO, authToken: '********' });
    expect((await storedSms(api))?.secrets).toEqual({});
    expect((await call(api, 'GET')).body.settings).toEqual({
      provider: 'twilio',
      accountSid: TWILIO.accountSid,
      from: TWILIO.from,
    });
  });
});

describe('ratePerSecond of a channel', () => {
  test.each([0.01, 5, 10_000])('%j is stored and shown', async (ratePerSecond) => {
    await using api = await startTestApi();

    expect((await put(api, { ...EMAIL_SETTINGS, ratePerSecond })).body.settings).toMatchObject({
      ratePerSecond,
    });
    expect(await stored(api)).toMatchObject({ settings: { ratePerSecond } });
  });
});
