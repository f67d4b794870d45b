import { describe, expect, test } from '@jest/globals';
import { readChannelSettings, readVapidPublicKey } from '@tidings/accounts/channel-settings';
import type { Channel } from '@tidings/contracts/channels/channels';
import { testSecretBox } from '@tidings/testing';
import { createECDH, generateKeyPairSync } from 'node:crypto';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

type Shown = { readonly status: string; readonly settings: Readonly<Record<string, unknown>> };

const SUBJECT = { subject: 'mailto:ops@example.com' };
const put = ({ request, asAdmin: headers }: TestApi, channel: Channel, body: unknown) =>
  request<Shown>('PUT', `channels/${channel}`, { headers, body });
const stored = ({ db, tenant: { applicationId } }: TestApi, channel: Channel) =>
  readChannelSettings(db, testSecretBox, { applicationId, channel });
const publicKeyOf = ({ db, tenant }: TestApi) => readVapidPublicKey(db.sql, tenant.applicationId);

describe('the key pair of WEB_PUSH', () => {
  test('is generated at the first setup: the public key is readable, the private key encrypted', async () => {
    await using api = await startTestApi();
    expect(await publicKeyOf(api)).toBeNull();

    const { status, body } = await put(api, 'WEB_PUSH', SUBJECT);

    expect([status, body.settings]).toEqual([
      200,
      { ...SUBJECT, publicKey: expect.stringMatching(/^B[\w-]{86}$/), privateKey: '********' },
    ]);
    const kept = await stored(api, 'WEB_PUSH');
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(Buffer.from(kept?.secrets?.['privateKey'] ?? '', 'base64url'));
    expect(ecdh.getPublicKey('base64url')).toBe(body.settings['publicKey']);
    expect(await publicKeyOf(api)).toBe(body.settings['publicKey']);
    const { rows } = await api.db.sql.query<{ row: string }>(
      'select channel_settings::text as row from channel_settings where application_id = $1',
      [api.tenant.applicationId],
    );
    expect(rows[0]?.row).not.toContain(kept?.secrets?.['privateKey']);
  });

  test('is kept by later changes, sent back or omitted, and replaced on request', async () => {
    await using api = await startTestApi();
    const first = (await put(api, 'WEB_PUSH', SUBJECT)).body.settings;
    const privateKey = (await stored(api, 'WEB_PUSH'))?.secrets?.['privateKey'];

    await put(api, 'WEB_PUSH', { ...first, ratePerSecond: 5 });
    await put(api, 'WEB_PUSH', { subject: 'https://example.com/contact' });

    expect(await stored(api, 'WEB_PUSH')).toMatchObject({
      version: 3,
      settings: { subject: 'https://example.com/contact', publicKey: first['publicKey'] },
      secrets: { privateKey },
    });

    const rotated = (await put(api, 'WEB_PUSH', { ...SUBJECT, rotateKeys: true })).body.settings;

    expect(rotated['publicKey']).not.toBe(first['publicKey']);
    expect(rotated).not.toHaveProperty('rotateKeys');
    expect(await publicKeyOf(api)).toBe(rotated['publicKey']);
    expect((await stored(api, 'WEB_PUSH'))?.secrets?.['privateKey']).not.toBe(privateKey);
  });

  test('can be an existing one that browsers are subscribed with', async () => {
    await using api = await startTestApi();
    const ecdh = createECDH('prime256v1');
    const publicKey = ecdh.generateKeys('base64url');
    const privateKey = ecdh.getPrivateKey().toString('base64url').padStart(43, 'A');

    await put(api, 'WEB_PUSH', { ...SUBJECT, publicKey, privateKey });

    expect(await stored(api, 'WEB_PUSH')).toMatchObject({
      settings: { publicKey },
      secrets: { privateKey },
    });
  });
});

describe('the service account of APP_PUSH', () => {
  const file = {
    type: 'service_account',
    project_id: 'shop',
    client_email: 'sender@shop.iam.gserviceaccount.com',
    private_key: generateKeyPairSync('rsa', { modulusLength: 2_048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  };

  test.each([
    ['as text', JSON.stringify(file)],
    ['as it is', file],
  ])('is accepted %s, encrypted, and never returned', async (_how, serviceAccount) => {
    await using api = await startTestApi();

    const { status, body, text } = await put(api, 'APP_PUSH', { serviceAccount });

    expect([status, body.settings]).toEqual([200, { serviceAccount: '********' }]);
    expect(text).not.toContain('PRIVATE KEY');
    expect((await stored(api, 'APP_PUSH'))?.secrets).toEqual({
      serviceAccount: JSON.stringify(file),
    });

    await put(api, 'APP_PUSH', { serviceAccount: '********', ratePerSecond: 5 });
    expect(await stored(api, 'APP_PUSH')).toMatchObject({
      settings: { ratePerSecond: 5 },
      secrets: { serviceAccount: JSON.stringify(file) },
    });
  });
});
