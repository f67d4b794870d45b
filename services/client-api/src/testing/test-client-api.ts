import { createKeyCache, createRates, createWrongKeys, type WrongKeys } from '@tidings/access';
import { findKeyGrant } from '@tidings/accounts/api-keys';
import {
  markChannelReady,
  writeChannelAccounts,
  writeChannelSettings,
} from '@tidings/accounts/channel-settings';
import type { Rate } from '@tidings/contracts/limits';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { createInProcessCoordination } from '@tidings/coordination';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { createPushServices } from '@tidings/egress';
import {
  createIdSigner,
  createLogger,
  listen,
  systemClock,
  systemIds,
  type Clock,
} from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { SMS_STATUS_PURPOSE } from '@tidings/providers/sms/status-purpose';
import {
  connectPublicTestDatabase,
  connectTestDatabase,
  createSendingCampaign,
  createTestApplication,
  testSecretBox,
} from '@tidings/testing';
import twilio from 'twilio';
import type { ClientApiDependencies } from '../dependencies.ts';
import { createDeliveryUpdates } from '../inbox/delivery-updates.ts';
import {
  InboxSubscriptions,
  type InboxSubscriptionsOptions,
} from '../inbox/inbox-subscriptions.ts';
import { createLinkReader } from '../links/link-reader.ts';
import { createLinkHits, type LinkHits } from '../links/link-hits.ts';
import type { SdkRate } from '../sdk/sdk-guard.ts';
import { createClientApi } from '../server.ts';

export const PUBLIC_BASE_URL = 'https://tidings.example';
const AUTH_TOKEN = 'the token of the account';
export const FROM = '+15005550006';
export const ENCRYPTION_KEY = 'a key for tests, of thirty-two characters';

export const signer = createIdSigner(ENCRYPTION_KEY, SMS_STATUS_PURPOSE);

type Form = Readonly<Record<string, string>>;
type CallOptions = {
  readonly method?: string;
  readonly signature?: string;
  readonly token?: string;
  readonly headers?: Form;
};

export interface TestClientApi extends AsyncDisposable {
  readonly db: Database;
  readonly url: string;
  /** Hits that are not stored yet. */
  readonly linkHits: LinkHits;
  readonly inboxSubscriptions: InboxSubscriptions;
  /** Posts a form signed for the public URL, as Twilio does. */
  post(path: string, form: Form, options?: CallOptions): Promise<Response>;
}

export type TestClientApiOptions = {
  /** Rate limits, off by default. */
  readonly rates?: Partial<Record<SdkRate, Rate>>;
  readonly trustedProxies?: readonly string[];
  /** No delays for wrong credentials by default. */
  readonly wrongKeys?: WrongKeys;
  readonly clock?: Clock;
  readonly inbox?: Partial<InboxSubscriptionsOptions>;
  /** Called instead of notifying the subscriptions. */
  readonly recheckSubscriptions?: (userId: string) => void;
};

const RATE_OFF: Rate = { perSecond: 0, burst: 1 };

/** Like `service.ts`, but rate limits are counted without Redis. */
export function testDependencies(
  db: Database,
  {
    rates = {},
    trustedProxies = [],
    clock = systemClock,
    wrongKeys = createWrongKeys({ clock, freeMax: Infinity }),
    inbox,
    recheckSubscriptions,
  }: TestClientApiOptions = {},
): ClientApiDependencies {
  const logger = createLogger('client-api', 'silent');
  const inboxSubscriptions = new InboxSubscriptions({
    db,
    clock,
    logger,
    subscribersMax: 1_000,
    ...inbox,
  });
  const limiterOf = createInProcessCoordination({ clock }).rateLimiters({ replicas: 1 });
  return {
    db,
    access: {
      keys: createKeyCache({
        findKeyGrant: (applicationId, key) => findKeyGrant(db, applicationId, key),
        clock,
      }),
      keyUses: { note: () => undefined },
      wrongKeys,
      rates: createRates(limiterOf, {
        sdk: RATE_OFF,
        sdkDevice: RATE_OFF,
        ingestClientAddress: RATE_OFF,
        ingestBytes: RATE_OFF,
        ...rates,
      }),
      trustedProxies,
    },
    isHttpsOnly: true,
    inboxSubscriptions,
    recheckSubscriptions: recheckSubscriptions ?? ((userId) => inboxSubscriptions.notify([userId])),
    deliveryUpdates: createDeliveryUpdates(db),
    box: testSecretBox,
    isPushEndpoint: createPushServices({ webPushServices: ['*.push.example'] }),
    signer,
    links: createLinkReader(ENCRYPTION_KEY),
    linkHits: createLinkHits({ db, logger }),
    logger,
    clock,
    ids: systemIds,
    publicBaseUrl: PUBLIC_BASE_URL,
  };
}

export async function startTestClientApi(
  options: TestClientApiOptions = {},
): Promise<TestClientApi> {
  const db = connectTestDatabase();
  const publicDb = connectPublicTestDatabase();
  const deps = testDependencies(publicDb, options);
  const server = await listen(createClientApi(deps), { host: '127.0.0.1', port: 0 });
  return {
    db,
    inboxSubscriptions: deps.inboxSubscriptions,
    url: server.url,
    linkHits: deps.linkHits,
    post(path, form, { method = 'POST', token = AUTH_TOKEN, signature, headers = {} } = {}) {
      const signed =
        signature ?? twilio.getExpectedTwilioSignature(token, `${PUBLIC_BASE_URL}${path}`, form);
      return fetch(`${server.url}${path}`, {
        method,
        headers: { 'X-Twilio-Signature': signed, ...headers },
        ...(method === 'GET' ? {} : { body: new URLSearchParams(form) }),
      });
    },
    async [Symbol.asyncDispose]() {
      await deps.inboxSubscriptions.close();
      await server.close();
      await Promise.all([db.close(), publicDb.close()]);
    },
  };
}

/** Creates an application with its own Twilio account. */
export async function createSmsApplication(
  db: Database,
  settings: Form = {},
): Promise<{ readonly applicationId: string; readonly accountSid: string }> {
  const { applicationId } = await createTestApplication(db);
  const accountSid = settings['accountSid'] ?? `AC${systemIds.uuid().replaceAll('-', '')}`;
  await writeChannelSettings(db, testSecretBox, {
    applicationId,
    channel: 'SMS',
    settings: { accountSid, from: FROM, ...settings },
    secrets: { authToken: AUTH_TOKEN },
  });
  await markChannelReady(db, { applicationId, channel: 'SMS', version: 1 });
  return { applicationId, accountSid };
}

/** Puts another account before the one that the application has. */
export async function putAccountBefore(
  db: Database,
  { applicationId, accountSid }: { readonly applicationId: string; readonly accountSid: string },
): Promise<void> {
  const account = (name: string, sid: string, authToken: string) => ({
    name,
    status: 'ready' as const,
    testedAt: null,
    settings: { accountSid: sid, from: FROM },
    secrets: { authToken },
    share: null,
    countries: null,
  });
  await writeChannelAccounts(db, testSecretBox, {
    applicationId,
    channel: 'SMS',
    accounts: [
      account('first', `AC${systemIds.uuid().replaceAll('-', '')}`, 'the token of another account'),
      account('second', accountSid, AUTH_TOKEN),
    ],
  });
}

/** An SMS that a worker has marked, and brought to the state named. */
export async function createSms(db: Database, state: DeliveryState = 'sending') {
  const { applicationId, accountSid } = await createSmsApplication(db);
  const { campaignId } = await createSendingCampaign(db, {
    applicationId,
    channel: 'SMS',
    message: { body: 'Hello' },
  });
  const [claimed] = await claimChunk(db, {
    campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  if (claimed === undefined) throw new Error('nothing to send');
  await markSending(db, [claimed], 60_000);
  if (state !== 'sending')
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [{ deliveryId: claimed.deliveryId, fence: claimed.fence, state }],
    );
  return {
    ...claimed,
    applicationId,
    accountSid,
    campaignId,
    path: `/cb/sms/twilio/status?d=${signer.sign(claimed.deliveryId, String(claimed.fence))}&c=${campaignId}`,
    formOf: (MessageStatus: string, more: Form = {}): Form => ({
      AccountSid: accountSid,
      MessageSid: 'SM1',
      MessageStatus,
      To: '+4915112345001',
      From: FROM,
      ...more,
    }),
    read: async () => (await listDeliveries(db, campaignId, { limit: 1 }))[0],
  };
}
