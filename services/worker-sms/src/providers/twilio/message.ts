import type { MessageListInstanceCreateOptions } from 'twilio/lib/rest/api/v2010/account/message.js';
import type { OutgoingSms } from '../sms-provider.ts';

/** Twilio's maximum validity period, which is also its default. */
const VALIDITY_SECONDS_MAX = 36_000;

/** The Twilio message of one delivery. */
export function buildMessage(
  { delivery, statusCallback }: Pick<OutgoingSms, 'delivery' | 'statusCallback'>,
  now: number,
): MessageListInstanceCreateOptions {
  const { from, messagingServiceSid } = delivery.settings as {
    readonly from?: string;
    readonly messagingServiceSid?: string;
  };
  const secondsLeft = Math.max(1, Math.floor((delivery.expiresAt - now) / 1000));
  return {
    to: delivery.address,
    body: String(delivery.message['body']),
    ...(messagingServiceSid ? { messagingServiceSid } : { from: from ?? '' }),
    ...(statusCallback === undefined ? {} : { statusCallback }),
    // Remaining seconds, so that a message queued at Twilio does not arrive after its expiry.
    ...(secondsLeft < VALIDITY_SECONDS_MAX ? { validityPeriod: secondsLeft } : {}),
  };
}
