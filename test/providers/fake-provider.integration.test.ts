import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { markChannelReady, writeChannelSettings } from '@tidings/accounts/channel-settings';
import { testWorker } from '@tidings/channel-worker/testing/test-worker';
import { createClientApi } from '@tidings/client-api/src/server.ts';
import {
  ENCRYPTION_KEY,
  testDependencies,
} from '@tidings/client-api/src/testing/test-client-api.ts';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { buildSettingsSchema, type ChannelProvider } from '@tidings/contracts/channels/provider';
import { acceptCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { createEgress } from '@tidings/egress';
import { listen } from '@tidings/platform';
import type { SmsCallbackProvider } from '@tidings/providers/sms/callback-provider';
import { SMS_CALLBACK_PROVIDERS } from '@tidings/providers/sms/callback-providers';
import {
  connectTestDatabase,
  createTestApplication,
  expandAll,
  newCampaign,
  registerUsers,
  testSecretBox,
} from '@tidings/testing';
import { createValidator } from '@tidings/validation';
import { SMS_PROVIDERS } from '@tidings/worker-sms/src/providers/registry.ts';
import type { SmsProvider } from '@tidings/worker-sms/src/providers/sms-provider.ts';
import { createSmsChannel } from '@tidings/worker-sms/src/sms-channel.ts';

/**
 * A third provider of SMS, made of what a provider is: the form of its settings, how it sends, and how
 * it calls back. Each is one entry of its registry; no other code names it.
 */
const FORM = {
  label: 'Pigeon',
  fields: { loft: { schema: { type: 'string' }, isRequired: true, label: 'Loft' } },
  example: { loft: 'north' },
} as const satisfies ChannelProvider;

const flights: { readonly to: string; readonly callback: string | undefined }[] = [];
const SENDS = {
  create: (): SmsProvider => ({
    async send({ delivery, statusCallback, onAccepted }) {
      flights.push({ to: delivery.address, callback: statusCallback });
      return {
        status: 'sent',
        providerId: 'pigeon-1',
        providerCode: 'flying',
        providerMessage: onAccepted(),
      };
    },
  }),
};

const CALLS_BACK: SmsCallbackProvider = {
  read: ({ headers, body }) => ({
    account: { loft: 'north' },
    isSigned: ({ secrets }) => headers['x-ring'] === secrets?.['ring'],
    readStatus: () => ({
      update: body.toString() === 'landed' ? { state: 'delivered' } : null,
      providerCode: body.toString(),
      address: '',
    }),
    readInbound: () => ({ address: '+4915112345001', keyword: 'stop', isSender: () => true }),
  }),
  inboundAnswer: { type: 'text/plain', body: 'coo' },
};

const PUBLIC_BASE_URL = 'https://tidings.example';
const db = connectTestDatabase();
let clientApi: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  clientApi = await listen(
    createClientApi(testDependencies(db), { ...SMS_CALLBACK_PROVIDERS, pigeon: CALLS_BACK }),
    { host: '127.0.0.1', port: 0 },
  );
});
afterAll(async () => {
  await clientApi.close();
  await db.close();
});

const channel = createSmsChannel(
  {
    egressPublicPorts: ['443'],
    encryptionKey: ENCRYPTION_KEY,
    previousEncryptionKey: '',
    publicBaseUrl: PUBLIC_BASE_URL,
    twilioTimeoutMs: 1_000,
    vonageTimeoutMs: 1_000,
    pollAfterMs: 60_000,
    pollIntervalMs: 60_000,
    pollUntilMs: 60_000,
  },
  { egress: createEgress({ egressAllowedNetworks: [] }), concurrency: 1 },
  { ...SMS_PROVIDERS, pigeon: SENDS },
);
afterAll(() => channel.close?.());

test('the schema takes its settings by its name, and those of the others as before', () => {
  const { providers } = CHANNEL_DESCRIPTORS.SMS;
  const validate = createValidator(buildSettingsSchema({ ...providers, pigeon: FORM }));

  expect(validate({ provider: 'pigeon', ...FORM.example }).ok).toBe(true);
  expect(validate({ ...FORM.example }).ok).toBe(false);
  expect(validate(providers['twilio']?.example).ok).toBe(true);
});

test('an application with its settings sends by it, and hears of the outcome and of STOP', async () => {
  const { applicationId } = await createTestApplication(db);
  await writeChannelSettings(db, testSecretBox, {
    applicationId,
    channel: 'SMS',
    settings: { provider: 'pigeon', loft: 'north' },
    secrets: { ring: 'golden' },
  });
  await markChannelReady(db, { applicationId, channel: 'SMS', version: 1 });
  const phone = '+4915112345001';
  await registerUsers(db, applicationId, { ada: { phoneNumber: phone, phoneE164: phone } });
  const campaign = newCampaign({
    applicationId,
    channel: 'SMS',
    message: { body: 'Hello' },
    recipients: ['ada'],
    expiresAt: Date.now() + 3_600_000,
  });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  const delivery = async () => (await listDeliveries(db, campaign.campaignId, { limit: 1 }))[0];

  await testWorker(db, channel, { channelName: 'SMS' }).handleChunk(
    { campaignId: campaign.campaignId, chunkNo: 0 },
    new AbortController().signal,
  );

  expect(await delivery()).toMatchObject({ status: 'sent', providerCode: 'flying' });
  expect(flights).toEqual([{ to: phone, callback: expect.any(String) }]);
  const callback = new URL(flights[0]?.callback ?? '');
  expect(callback.pathname).toBe('/cb/sms/pigeon/status');

  const call = async (path: string, body: string, ring: string) =>
    (await fetch(`${clientApi.url}${path}`, { method: 'POST', headers: { 'X-Ring': ring }, body }))
      .status;
  const path = `${callback.pathname}${callback.search}`;
  expect(await call(path, 'landed', 'brass')).toBe(403);
  expect(await call(path, 'landed', 'golden')).toBe(204);
  expect(await delivery()).toMatchObject({ status: 'delivered', providerCode: 'landed' });
  // No callback of another provider is of this application.
  expect(await call(path.replace('pigeon', 'twilio'), 'landed', 'golden')).toBe(403);

  expect(await call('/cb/sms/pigeon/inbound', 'stop', 'golden')).toBe(200);
  const { rows } = await db.sql.query('select reason from suppressions where application_id = $1', [
    applicationId,
  ]);
  expect(rows).toEqual([{ reason: 'sms_stop' }]);
});
