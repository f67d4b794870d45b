import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homeLayout, type LocalFile } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { Client } from '../support/client.ts';
import type { Canary } from './canary.ts';

export const CUSTOMER = 'customer-1';
export const DEVICES = { browser: 'device-1', phone: 'device-2', screen: 'device-3' } as const;
const TOKEN = randomBytes(9).toString('hex');

/** Unique values of the customer and the messages. */
export const PROFILE = {
  firstName: `Nightingale${TOKEN}`,
  email: `canary.${TOKEN}@people.example`,
  phoneNumber: '+44 7700 900842',
} as const;
export const TEXTS = { title: `The title ${TOKEN}`, body: `The body ${TOKEN}` } as const;
export const PUSH_TOKEN = `push-token-${TOKEN}`;
const CREDENTIALS = { smtpPassword: `smtp-password-${TOKEN}`, authToken: `auth-token-${TOKEN}` };

export type Admin = <T>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: T }>;
type Facts = {
  readonly local: LocalFile;
  readonly home: string;
  readonly client: Client;
  readonly admin: Admin;
};
type Subscription = {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

/**
 * Gives the demonstration application known credentials and its customer devices. Returns all
 * canaries.
 */
export async function prepareFixtures({
  local,
  home,
  client,
  admin,
}: Facts): Promise<{ readonly canaries: readonly Canary[]; readonly userToken: string }> {
  await configureChannels(admin);
  const { secret: webhookSecret } = await expectStatus(
    201,
    admin<{ secret: string }>('POST', 'webhooks', {
      url: `${local.sandboxUrl}/hooks/of-the-application`,
    }),
  );
  const { secret: userTokenSecret } = await expectStatus(
    201,
    admin<{ secret: string }>('POST', `applications/${local.applicationId}/user-token-secret`),
  );
  const userToken = signed(userTokenSecret, {
    sub: CUSTOMER,
    exp: Math.floor(Date.now() / 1000) + 3_600,
  });
  const { keys } = await registerDevices({ local, client }, userToken);
  const { private_key: privateKey } = (
    await client.sandbox<{ private_key: string }>('GET', '/push/service-account')
  ).body;
  const encryptionKey = readFileSync(homeLayout(home).encryptionKeyFile, 'utf8').trim();
  return {
    userToken,
    canaries: [
      canary('api key', 'the Server key', local.serverKey),
      canary('api key', 'the Client key', local.clientKey),
      canary('administrator token', 'the administrator token', local.adminToken),
      canary('encryption key', 'the encryption key', encryptionKey),
      canary('provider credential', 'the password of SMTP', CREDENTIALS.smtpPassword),
      canary('provider credential', 'the token of Twilio', CREDENTIALS.authToken),
      canary('provider credential', 'the private key of Firebase', privateKey.split('\n')[2]),
      canary(
        'signing secret',
        'the secret of the webhook endpoint',
        webhookSecret.replace('whsec_', ''),
      ),
      canary('signing secret', 'the secret of user tokens', userTokenSecret),
      canary('user token', 'the user token', userToken.split('.')[2]),
      canary('push address', 'the token of the app', PUSH_TOKEN),
      canary('push address', 'the secret of the subscription', keys.auth),
      canary('phone number', 'the number as sent', PROFILE.phoneNumber),
      canary('phone number', 'the number in E.164', PROFILE.phoneNumber.replaceAll(' ', '')),
      canary('e-mail address', 'the e-mail address', PROFILE.email),
      canary('name', 'the first name', PROFILE.firstName),
      canary('message text', 'the title', TEXTS.title),
      canary('message text', 'the body', TEXTS.body),
    ],
  };
}

async function expectStatus<T>(
  status: number,
  call: Promise<{ readonly status: number; readonly body: T }>,
): Promise<T> {
  const answer = await call;
  if (answer.status !== status)
    throw new Error(
      `an answer was ${answer.status}, not ${status}: ${JSON.stringify(answer.body)}`,
    );
  return answer.body;
}

async function configureChannels(admin: Admin): Promise<void> {
  const settings = async (channel: string) =>
    (
      await expectStatus(
        200,
        admin<{ settings: Record<string, unknown> }>('GET', `channels/${channel}`),
      )
    ).settings;
  await expectStatus(
    200,
    admin('PUT', 'channels/EMAIL', {
      ...(await settings('EMAIL')),
      password: CREDENTIALS.smtpPassword,
    }),
  );
  await expectStatus(
    200,
    admin('PUT', 'channels/SMS', { ...(await settings('SMS')), authToken: CREDENTIALS.authToken }),
  );
  await expectStatus(200, admin('POST', 'channels/EMAIL/test', { to: 'operator@tidings.example' }));
  await expectStatus(200, admin('POST', 'channels/SMS/test', { to: '+15005550100' }));
}

/** Returns the push subscription of the browser. */
async function registerDevices(
  { local, client }: Pick<Facts, 'local' | 'client'>,
  userToken: string,
): Promise<Subscription> {
  const sdk = (path: string, body?: unknown) =>
    client.call<Record<string, unknown>>(
      body === undefined ? 'GET' : 'POST',
      `${local.baseUrl}/sdk/v1/${path}`,
      { body, headers: { 'X-Application-Id': local.applicationId, 'X-API-Key': local.clientKey } },
    );
  const { vapidPublicKey } = await expectStatus(200, sdk('config'));
  const { endpoint, keys } = (
    await client.sandbox<Subscription>('POST', '/push/subscriptions', {
      applicationServerKey: vapidPublicKey,
    })
  ).body;
  // client-api reads the new secret after a short delay.
  await eventually(
    () => expectStatus(200, sdk('devices', { deviceId: DEVICES.screen, kind: 'none', userToken })),
    { timeoutMs: 90_000 },
  );
  await expectStatus(
    200,
    sdk('devices', {
      deviceId: DEVICES.browser,
      kind: 'web_push',
      subscription: { endpoint, keys },
      userToken,
    }),
  );
  await expectStatus(
    200,
    sdk('devices', { deviceId: DEVICES.phone, kind: 'fcm', token: PUSH_TOKEN, userToken }),
  );
  return { endpoint, keys };
}

function canary(kind: Canary['kind'], name: string, value: string | undefined): Canary {
  if (value === undefined || value.length < 8)
    throw new Error(`${name} is too short to be told from other text`);
  return { kind, name, value };
}

function signed(secret: string, claims: object): string {
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
