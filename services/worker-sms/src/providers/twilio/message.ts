import type { MessageListInstanceCreateOptions } from 'twilio/lib/rest/api/v2010/account/message.js';
import type { OutgoingSms } from '../sms-provider.ts';

/** How long Twilio may keep a message in its queue; longer is what it does anyway. */
const VALIDITY_SECONDS_MAX = 36_000;

/** The message of one delivery as Twilio takes it. */
export function messageOf(
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
    // What is left of its time, so that a message that waits at Twilio does not arrive after it.
    ...(secondsLeft < VALIDITY_SECONDS_MAX ? { validityPeriod: secondsLeft } : {}),
  };
}
