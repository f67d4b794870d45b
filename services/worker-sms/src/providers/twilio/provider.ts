import type { SendResult } from '@tidings/channel-worker';
import type { OutgoingSms, SmsProvider, SmsProviderTools } from '../sms-provider.ts';
import { createTwilioClient, type Exchange } from './client.ts';
import { classifyTwilioFailure } from './error-map.ts';
import { createOutcomePoller } from './outcome-poller.ts';
import { buildMessage } from './message.ts';
import type { TwilioConfig } from './settings.ts';

export function createTwilio(config: TwilioConfig, { http }: SmsProviderTools): SmsProvider {
  return {
    slug: 'twilio',
    send: (sms) => sendMessage(sms, config, http),
    outcomePoller: createOutcomePoller(config, http),
  };
}

async function sendMessage(
  sms: OutgoingSms,
  { twilioTimeoutMs }: TwilioConfig,
  http: SmsProviderTools['http'],
): Promise<SendResult> {
  const { settings, secrets, mayBegin, signal } = sms.delivery;
  const exchange: Exchange = { http, timeoutMs: twilioTimeoutMs, mayBegin, signal };
  try {
    const message = await createTwilioClient({ settings, secrets }, exchange).messages.create(
      buildMessage(sms, Date.now()),
    );
    const parts = sms.onAccepted();
    // Not a Twilio response: the message may have been accepted.
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
      providerMessage: parts,
    };
  } catch (error) {
    return classifyTwilioFailure(error, exchange.answer);
  }
}
