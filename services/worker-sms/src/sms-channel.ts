import type { Channel, OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { SMS_STATUS_PURPOSE, smsSegments } from '@tidings/contracts';
import { createEgressHttp, type Egress, type EgressHttp } from '@tidings/egress';
import { createIdSigner, Counter, encryptionKeysOf, type IdSigner } from '@tidings/platform';
import type { SmsConfig } from './config.ts';
import { createLookUp } from './look-up.ts';
import { messageOf } from './message.ts';
import { twilioOf, type Exchange } from './twilio-client.ts';
import { classifyTwilioFailure } from './twilio-outcomes.ts';

const segmentsTotal = new Counter({
  name: 'tidings_sms_segments_total',
  help: 'Parts of SMS that Twilio accepted: what is paid for.',
  labelNames: ['encoding'] as const,
});

type Tools = { readonly http: EgressHttp; readonly signer: IdSigner };

/** SMS through Twilio: at most once. Without an answer nobody knows, and nothing is sent again: callbacks and look-ups tell. */
export function createSmsChannel(
  config: SmsConfig,
  { egress, concurrency }: { readonly egress: Egress; readonly concurrency: number },
): Channel {
  const http = createEgressHttp(config, { egress, connections: concurrency });
  const signer = createIdSigner(encryptionKeysOf(config), SMS_STATUS_PURPOSE);
  return {
    send: (delivery) => sendMessage(delivery, config, { http, signer }),
    lookUp: createLookUp(config, http),
    close: () => http.close(),
  };
}

async function sendMessage(
  delivery: OutgoingDelivery,
  config: SmsConfig,
  { http, signer }: Tools,
): Promise<SendResult> {
  const { settings, secrets, mayBegin, signal } = delivery;
  const exchange: Exchange = { http, timeoutMs: config.twilioTimeoutMs, mayBegin, signal };
  try {
    const message = await twilioOf({ settings, secrets }, exchange).messages.create(
      messageOf(delivery, { ...config, signer, now: Date.now() }),
    );
    const { encoding, segments } = smsSegments(String(delivery.message['body']));
    segmentsTotal.inc({ encoding }, segments);
    // An answer that is none of Twilio's: it may have been taken all the same.
    if (typeof message.sid !== 'string')
      return {
        status: 'unknown',
        providerCode: 'unreadable',
        providerMessage: 'an answer without a message id',
      };
    return {
      status: 'sent',
      providerId: message.sid,
      providerCode: String(message.status),
      providerMessage: `${segments} segment${segments === 1 ? '' : 's'}, ${encoding}`,
    };
  } catch (error) {
    return classifyTwilioFailure(error, exchange.answer);
  }
}
