import type { DeliveryReason, DeliveryState } from '../campaigns.ts';
import type { Explanation } from './explanation.ts';

export const DELIVERY_STATE_EXPLANATIONS = {
  pending: {
    summary: 'It waits to be sent.',
    remedy: 'Wait; the reason beside it says for what, if for more than its turn.',
  },
  claimed: {
    summary: 'A worker has it in hand and has not sent it yet.',
    remedy: 'Wait a moment.',
  },
  sending: {
    summary: 'It is being handed to the provider.',
    remedy: 'Wait for the provider’s answer.',
  },
  retry_wait: {
    summary: 'An attempt failed in a way that may pass; it is tried again.',
    remedy: 'Nothing; the reason beside it says what failed.',
  },
  waiting: {
    summary: 'It is offered to the user’s devices, and none has shown it yet.',
    remedy: 'Nothing; it is shown when the user comes back, as long as it has not expired.',
  },
  sent: { summary: 'The provider has accepted it.', remedy: 'Nothing.' },
  delivered: { summary: 'The provider says that it arrived.', remedy: 'Nothing.' },
  displayed: { summary: 'A device has shown it.', remedy: 'Nothing.' },
  opened: { summary: 'Somebody opened it.', remedy: 'Nothing.' },
  clicked: { summary: 'Somebody followed a link or pressed a button of it.', remedy: 'Nothing.' },
  failed: {
    summary: 'It was not delivered, for the reason beside it.',
    remedy:
      'Follow what the reason says; failures that no provider has accepted can be tried again.',
  },
  unknown: {
    summary: 'It was handed over and nobody heard the answer: it may have arrived.',
    remedy: 'Ask the recipient or the provider before sending again by hand.',
  },
  expired: {
    summary: 'Its time to live ended before it was handed over.',
    remedy: 'Send again with a longer ttl, if it still matters.',
  },
  canceled: {
    summary: 'The campaign was canceled before it was sent to this recipient.',
    remedy: 'Nothing.',
  },
} as const satisfies Record<DeliveryState, Explanation>;

export const DELIVERY_REASON_EXPLANATIONS = {
  unknown_user: {
    summary: 'No user with this customUserId is registered.',
    remedy: 'Send a user message with this customUserId, or take it off the list of recipients.',
  },
  no_address: {
    summary: 'The user has no address for this channel.',
    remedy: 'Send the e-mail address or phone number in a user message, or choose another channel.',
  },
  hashed_only: {
    summary: 'Only a hash of the address is known, and nothing can be sent to a hash.',
    remedy: 'Send the address itself in a user message, or choose another channel.',
  },
  invalid_address: {
    summary: 'The address is not valid, or the provider does not know it.',
    remedy:
      'Correct it by a user message; of a phone number check its country code or the default country.',
  },
  no_subscription: {
    summary: 'None of the user’s devices can get pushes.',
    remedy:
      'Let the user allow notifications in the browser or the app, or choose another channel.',
  },
  unsubscribed: {
    summary: 'The user does not want marketing on this channel.',
    remedy: 'Respect it; messages with the purpose transactional still arrive.',
  },
  suppressed_bounce: {
    summary: 'The provider said for good that nobody is reached at this address or number.',
    remedy: 'Ask the user for another one; lift the suppression only if it is known to work.',
  },
  suppressed_complaint: {
    summary: 'The user reported a message as unwanted.',
    remedy: 'Send nothing more on this channel; lift the suppression only if the user asks for it.',
  },
  sms_stop: {
    summary: 'The user answered STOP.',
    remedy: 'Send no more SMS; START from the same phone allows it again.',
  },
  channel_not_configured: {
    summary: 'The channel has no settings, or no test send of it has succeeded.',
    remedy: 'Set it up under Channels and make a test send, then retry the failed ones.',
  },
  channel_disabled: {
    summary: 'The channel is switched off.',
    remedy: 'Switch it on under Channels, then retry the failed ones.',
  },
  provider_rejected: {
    summary: 'The provider refused the message for good.',
    remedy: 'Read the provider’s code and words beside the recipient, and correct what they name.',
  },
  provider_auth: {
    summary: 'The provider refused the credentials of the channel.',
    remedy:
      'Correct the credentials under Channels and make a test send; what waits goes out by itself.',
  },
  provider_unavailable: {
    summary: 'The provider could not be reached, or said that it cannot serve.',
    remedy: 'Wait until it is back, then retry the failed ones.',
  },
  provider_timeout: {
    summary: 'The provider did not answer in time.',
    remedy: 'Wait until it is back, then retry the failed ones.',
  },
  subscription_gone: {
    summary: 'The browser or app has given up its subscription; it was removed.',
    remedy: 'Nothing; the device subscribes again when the user allows it.',
  },
  payload_too_large: {
    summary: 'The message is larger than the provider takes.',
    remedy: 'Shorten the text, drop custom content, or link to images instead.',
  },
  rate_limited: {
    summary: 'The provider asked for fewer messages until they were too old.',
    remedy: 'Set a lower rate under Channels, or ask the provider for a higher one.',
  },
  frequency_capped: {
    summary: 'The user has had as much marketing as the frequency cap allows.',
    remedy: 'Nothing, or raise the cap in the settings of the application.',
  },
  quiet_hours: {
    summary: 'It is held until the user’s quiet hours end.',
    remedy: 'Nothing, or send with the purpose transactional where it is that.',
  },
  spend_cap: {
    summary: 'The daily cap of the channel is reached.',
    remedy: 'Raise the cap in the settings of the application, or wait for the next day.',
  },
  outcome_unknown: {
    summary: 'It was handed over and nobody heard the answer.',
    remedy: 'Ask the recipient or the provider before sending again by hand.',
  },
  internal: {
    summary: 'Something failed inside the service.',
    remedy:
      'Look at the event log of the campaign and the logs of the worker, and retry the failed ones.',
  },
} as const satisfies Record<DeliveryReason, Explanation>;
