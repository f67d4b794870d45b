import {
  createRejectedAddresses,
  type OutgoingDelivery,
  type RejectedAddresses,
  type SendResult,
} from '@tidings/channel-worker';
import { isDeviceToken } from '@tidings/contracts/channels/push-notifications';
import type { AppPushProvider, AppPushProviderTools } from '../app-push-provider.ts';
import { createFcmClient, type FcmClient } from './client.ts';
import { classifyAnswer, classifyFailure } from './error-map.ts';
import { buildFcmMessage } from './message.ts';
import { parseServiceAccount, type ServiceAccount } from './service-account.ts';
import type { FcmConfig } from './settings.ts';

const FCM_API = 'https://fcm.googleapis.com';

type Tools = { readonly client: FcmClient; readonly rejectedAddresses: RejectedAddresses };

export function createFcm(
  { fcmTimeoutMs }: FcmConfig,
  { http }: AppPushProviderTools,
): AppPushProvider {
  const client = createFcmClient(http, { timeoutMs: fcmTimeoutMs });
  const tools: Tools = { client, rejectedAddresses: createRejectedAddresses() };
  return { send: (delivery) => sendMessage(delivery, tools), close: () => client.close() };
}

/**
 * The secrets object is the same while the settings are, so the file is parsed once, not per
 * message.
 */
const accounts = new WeakMap<OutgoingDelivery['secrets'], ServiceAccount | null>();

function parseAccount(secrets: OutgoingDelivery['secrets']): ServiceAccount | null {
  let account = accounts.get(secrets);
  if (account === undefined)
    accounts.set(secrets, (account = parseServiceAccount(secrets['serviceAccount'])));
  return account;
}

async function sendMessage(
  delivery: OutgoingDelivery,
  { client, rejectedAddresses }: Tools,
): Promise<SendResult> {
  const { address, settings, secrets, settingsKey, mayBegin, signal } = delivery;
  if (!isDeviceToken(address))
    return {
      status: 'invalid_address',
      reason: 'invalid_address',
      providerCode: 'no_token',
      providerMessage: 'the address is no token of an app',
    };
  const account = parseAccount(secrets);
  if (account === null)
    return {
      status: 'configuration',
      reason: 'provider_auth',
      providerCode: 'no_service_account',
      providerMessage: 'the settings have no service account',
    };
  const message = buildFcmMessage(delivery, Date.now());
  if ('status' in message) return message;
  const { apiBaseUrl = FCM_API } = settings as { readonly apiBaseUrl?: string };
  try {
    const answer = await client.send(message, {
      settingsKey,
      account,
      apiBaseUrl,
      mayBegin,
      signal,
    });
    const isMismatch = answer.status === 403 && answer.body.includes('SENDER_ID_MISMATCH');
    if (answer.status === 200 || isMismatch)
      rejectedAddresses.record(settingsKey, { address, isRejected: isMismatch });
    return classifyAnswer(answer, {
      nowMs: Date.now(),
      causeOfRejection: () => rejectedAddresses.causeOf(settingsKey),
    });
  } catch (error) {
    return classifyFailure(error, Date.now());
  }
}
