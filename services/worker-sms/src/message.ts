import type { OutgoingDelivery } from '@tidings/channel-worker';
import type { IdSigner } from '@tidings/platform';
import type { MessageListInstanceCreateOptions } from 'twilio/lib/rest/api/v2010/account/message.js';

const STATUS_CALLBACK_PATH = '/cb/sms/twilio/status';

/** How long Twilio may keep a message in its queue; longer is what it does anyway. */
const VALIDITY_SECONDS_MAX = 36_000;

type Facts = { readonly publicBaseUrl: string; readonly signer: IdSigner; readonly now: number };

/** The message of one delivery as Twilio takes it. */
export function messageOf(
  delivery: OutgoingDelivery,
  { publicBaseUrl, signer, now }: Facts,
): MessageListInstanceCreateOptions {
  const { from, messagingServiceSid } = delivery.settings as {
    readonly from?: string;
    readonly messagingServiceSid?: string;
  };
  const secondsLeft = Math.max(1, Math.floor((delivery.expiresAt - now) / 1000));
  const id = signer.sign(delivery.deliveryId, String(delivery.fence));
  return {
    to: delivery.address,
    body: String(delivery.message['body']),
    ...(messagingServiceSid ? { messagingServiceSid } : { from: from ?? '' }),
    // The campaign is for whoever reads Twilio's log; the delivery is what its receiver believes.
    ...(publicBaseUrl === ''
      ? {}
      : {
          statusCallback: `${publicBaseUrl.replace(/\/+$/, '')}${STATUS_CALLBACK_PATH}?d=${id}&c=${delivery.campaignId}`,
        }),
    // What is left of its time, so that a message that waits at Twilio does not arrive after it.
    ...(secondsLeft < VALIDITY_SECONDS_MAX ? { validityPeriod: secondsLeft } : {}),
  };
}
