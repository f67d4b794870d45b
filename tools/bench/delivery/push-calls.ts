import { parseWebPushSubscription } from '@tidings/contracts/channels/push-notifications';
import { buildPushRequest } from '@tidings/worker-web-push/src/providers/push-service/request.ts';
import { createVapidHeaders } from '@tidings/worker-web-push/src/providers/push-service/vapid-headers.ts';
import webPush from 'web-push';
import { answerParent } from '../child/answer-parent.ts';
import { createBrowser, subscriptionAt } from './browsers.ts';
import { VAPID_SUBJECT } from './channels.ts';

export type PushCallPlan = {
  readonly rounds: number;
  readonly calls: number;
  readonly body: string;
};
export type PushCallResult = {
  readonly rounds: readonly {
    readonly oursMicroseconds: number;
    readonly plainMicroseconds: number;
  }[];
};

const PUSH_SERVICE = 'https://push.example';
const BROWSERS = 1_000;
const TTL_SECONDS = 2_419_200;

/**
 * CPU of our call and of web-push's call for the same message, in one process. Both keep the
 * signature: web-push alone signs each push, which costs as much as encrypting it.
 */
answerParent<PushCallPlan, PushCallResult>(async ({ rounds, calls, body }) => {
  const addresses = Array.from({ length: BROWSERS }, (_, index) =>
    JSON.stringify(subscriptionAt(PUSH_SERVICE, String(index), createBrowser())),
  );
  const keys = { subject: VAPID_SUBJECT, ...webPush.generateVAPIDKeys() };
  const vapidHeaders = createVapidHeaders();
  const campaignId = crypto.randomUUID();
  const createSubscription = (index: number) => {
    const subscription = parseWebPushSubscription(addresses[index % BROWSERS] ?? '');
    if (subscription === null) throw new Error('the browser does not exist');
    return subscription;
  };
  const ours = (index: number): void => {
    const subscription = createSubscription(index);
    const now = Date.now();
    const delivery = {
      deliveryId: crypto.randomUUID(),
      campaignId,
      message: { body },
      expiresAt: now + TTL_SECONDS * 1000,
    };
    buildPushRequest(delivery, {
      subscription,
      authorization: vapidHeaders(keys, subscription.endpoint),
      nowMs: now,
    });
  };
  const plain = (index: number): void => {
    const deliveryId = crypto.randomUUID();
    const payload = JSON.stringify({ deliveryId, campaignId, body, tag: deliveryId });
    const subscription = createSubscription(index);
    webPush.generateRequestDetails(subscription, payload, {
      headers: { Authorization: vapidHeaders(keys, subscription.endpoint) },
      TTL: TTL_SECONDS,
      topic: deliveryId.replaceAll('-', ''),
      urgency: 'high',
    });
  };
  // Warm-up: both are compiled before the measurement.
  for (const call of [ours, plain]) cpuMicroseconds(call, calls);
  return {
    rounds: Array.from({ length: rounds }, () => ({
      oursMicroseconds: cpuMicroseconds(ours, calls),
      plainMicroseconds: cpuMicroseconds(plain, calls),
    })),
  };
});

function cpuMicroseconds(call: (index: number) => void, calls: number): number {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index += 1) call(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}
