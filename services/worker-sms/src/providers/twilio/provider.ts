import type { SendResult } from '@tidings/channel-worker';
import type { OutgoingSms, SmsProvider, SmsProviderTools } from '../sms-provider.ts';
import { createTwilioClient, type Exchange } from './client.ts';
import { classifyTwilioFailure } from './error-map.ts';
import { createOutcomeFinder } from './outcome-finder.ts';
import { buildMessage } from './message.ts';
import { twilioConfig, type TwilioConfig } from './settings.ts';

export const twilio = {
  config: twilioConfig,
  create: (config: TwilioConfig, { http }: SmsProviderTools): SmsProvider => ({
    send: (sms) => sendMessage(sms, config, http),
    findOutcome: createOutcomeFinder(config, http),
  }),
} as const;

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
