import type { Channel, OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { createEgressHttp, type Egress, type EgressHttp } from '@tidings/egress';
import type { WebHookConfig } from './config.ts';
import { hookOf } from './hook.ts';
import { classifyAnswer, classifyFailure } from './hook-outcomes.ts';

/** Shown in the report; the rest of an answer is not read. */
const ANSWER_BYTES_MAX = 1_024;

/** A signed request for each recipient: at least once, and every try has the delivery's id, by which a receiver knows a repeat. */
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
  const hook = hookOf(delivery, Date.now());
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
