import {
  createRejectedAddresses,
  type OutgoingDelivery,
  type RejectedAddresses,
  type SendResult,
} from '@tidings/channel-worker';
import { parseWebPushSubscription } from '@tidings/contracts/channels/push-notifications';
import { createPushServices, type EgressHttp } from '@tidings/egress';
import type { WebPushProvider, WebPushProviderTools } from '../web-push-provider.ts';
import { classifyAnswer, classifyFailure } from './error-map.ts';
import { buildPushRequest } from './request.ts';
import type { PushServiceConfig } from './settings.ts';
import { createVapidHeaders, type VapidHeaders, type VapidKeys } from './vapid-headers.ts';

/** The response bytes shown in the report; the rest is not read. */
const ANSWER_BYTES_MAX = 1_024;
/** The only status whose meaning depends on the responses to other addresses. */
const FORBIDDEN = 403;

type Tools = {
  readonly http: EgressHttp;
  readonly isPushService: (endpoint: string) => boolean;
  readonly vapidHeaders: VapidHeaders;
  readonly rejectedAddresses: RejectedAddresses;
};

/** Browser push services, which share one protocol (RFC 8030). */
export function createPushServiceProvider(
  config: PushServiceConfig,
  { http }: WebPushProviderTools,
): WebPushProvider {
  const tools: Tools = {
    http,
    isPushService: createPushServices(config),
    vapidHeaders: createVapidHeaders(),
    rejectedAddresses: createRejectedAddresses(),
  };
  return { send: (delivery) => sendPush(delivery, config, tools) };
}

async function sendPush(
  delivery: OutgoingDelivery,
  { pushTimeoutMs }: PushServiceConfig,
  tools: Tools,
): Promise<SendResult> {
  const { http, isPushService, rejectedAddresses } = tools;
  const { address, mayBegin, signal, settingsKey } = delivery;
  const subscription = parseWebPushSubscription(address);
  if (subscription === null)
    return invalidAddress('no_subscription', 'the address is no subscription of a browser');
  if (!isPushService(subscription.endpoint))
    return invalidAddress(
      'unknown_push_service',
      'the endpoint is not one of a push service that is known',
    );
  const authorization = signAuthorization(delivery, subscription.endpoint, tools);
  if (typeof authorization !== 'string') return authorization;
  const request = buildPushRequest(delivery, { subscription, authorization, nowMs: Date.now() });
  if ('status' in request) return request;
  try {
    const answer = await http.request({
      ...request,
      timeoutMs: pushTimeoutMs,
      mayBegin,
      signal,
      answerBytesMax: ANSWER_BYTES_MAX,
      mayRepeat: true,
    });
    // Responses are compared per push service.
    const account = `${settingsKey} ${new URL(subscription.endpoint).origin}`;
    if (answer.status < 300 || answer.status === FORBIDDEN)
      rejectedAddresses.record(account, { address, isRejected: answer.status === FORBIDDEN });
    return classifyAnswer(answer, {
      nowMs: Date.now(),
      causeOfRejection: () => rejectedAddresses.causeOfUnexplained(account, address),
    });
  } catch (error) {
    return classifyFailure(error);
  }
}

function signAuthorization(
  { settings, secrets }: OutgoingDelivery,
  endpoint: string,
  { vapidHeaders }: Tools,
): string | SendResult {
  const keys = {
    subject: settings['subject'],
    publicKey: settings['publicKey'],
    privateKey: secrets['privateKey'],
  } as Partial<VapidKeys>;
  const { subject, publicKey, privateKey } = keys;
  const rejection = (providerMessage: string): SendResult => ({
    status: 'configuration',
    reason: 'provider_auth',
    providerCode: 'no_vapid_keys',
    providerMessage,
  });
  if (subject === undefined || publicKey === undefined || privateKey === undefined)
    return rejection('the settings have no VAPID keys');
  try {
    return vapidHeaders({ subject, publicKey, privateKey }, endpoint);
  } catch (error) {
    return rejection(error instanceof Error ? error.message : 'the VAPID keys cannot sign');
  }
}

function invalidAddress(providerCode: string, providerMessage: string): SendResult {
  return { status: 'invalid_address', reason: 'invalid_address', providerCode, providerMessage };
}
