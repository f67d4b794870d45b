import type { Channel, OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { createEgressHttp, type Egress, type EgressHttp } from '@tidings/egress';
import type { WebHookConfig } from './config.ts';
import { buildHook } from './hook.ts';
import { classifyAnswer, classifyFailure } from './hook-outcomes.ts';

/** The response bytes shown in the report; the rest is not read. */
const ANSWER_BYTES_MAX = 1_024;

/**
 * WEB_HOOK: one signed request per recipient, at least once. Every attempt has the delivery's id,
 * so that receivers can detect repeats.
 */
export function createWebHookChannel(
  config: WebHookConfig,
  { egress, concurrency }: { readonly egress: Egress; readonly concurrency: number },
): Channel {
  const http = createEgressHttp(config, { egress, connections: concurrency });
  return {
    send: (delivery) => sendHook(delivery, config, http),
    receiverOf: ({ url }) =>
      typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined,
    close: () => http.close(),
  };
}

async function sendHook(
  delivery: OutgoingDelivery,
  { hookTimeoutMs }: WebHookConfig,
  http: EgressHttp,
): Promise<SendResult> {
  const hook = buildHook(delivery, Date.now());
  if ('status' in hook) return hook;
  const { mayBegin, signal, message } = delivery;
  try {
    return classifyAnswer(
      await http.request({
        ...hook,
        timeoutMs: hookTimeoutMs,
        mayBegin,
        signal,
        answerBytesMax: ANSWER_BYTES_MAX,
      }),
      Date.now(),
    );
  } catch (error) {
    return classifyFailure(error, { isUrlOfMessage: typeof message['url'] === 'string' });
  }
}
