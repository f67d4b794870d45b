import type { DeliveryReason, DeliveryState } from '../campaigns.ts';
import type { Explanation } from './explanation.ts';

export const DELIVERY_STATE_EXPLANATIONS = {
  pending: {
    means: 'It waits to be sent.',
    toDo: 'Wait; the reason beside it says for what, if for more than its turn.',
  },
  claimed: { means: 'A worker has it in hand and has not sent it yet.', toDo: 'Wait a moment.' },
  sending: {
    means: 'It is being handed to the provider.',
    toDo: 'Wait for the provider’s answer.',
  },
  retry_wait: {
    means: 'An attempt failed in a way that may pass; it is tried again.',
    toDo: 'Nothing; the reason beside it says what failed.',
  },
  waiting: {
    means: 'It is offered to the user’s devices, and none has shown it yet.',
    toDo: 'Nothing; it is shown when the user comes back, as long as it has not expired.',
  },
  sent: { means: 'The provider has accepted it.', toDo: 'Nothing.' },
  delivered: { means: 'The provider says that it arrived.', toDo: 'Nothing.' },
  displayed: { means: 'A device has shown it.', toDo: 'Nothing.' },
  opened: { means: 'Somebody opened it.', toDo: 'Nothing.' },
  clicked: { means: 'Somebody followed a link or pressed a button of it.', toDo: 'Nothing.' },
  failed: {
    means: 'It was not delivered, for the reason beside it.',
    toDo: 'Follow what the reason says; failures that no provider has accepted can be tried again.',
  },
  unknown: {
    means: 'It was handed over and nobody heard the answer: it may have arrived.',
    toDo: 'Ask the recipient or the provider before sending again by hand.',
  },
  expired: {
    means: 'Its time to live ended before it was handed over.',
    toDo: 'Send again with a longer ttl, if it still matters.',
  },
  canceled: {
    means: 'The campaign was canceled before it was sent to this recipient.',
    toDo: 'Nothing.',
  },
} as const satisfies Record<DeliveryState, Explanation>;

export const DELIVERY_REASON_EXPLANATIONS = {
  unknown_user: {
    means: 'No user with this customUserId is registered.',
    toDo: 'Send a user message with this customUserId, or take it off the list of recipients.',
  },
  no_address: {
    means: 'The user has no address for this channel.',
    toDo: 'Send the e-mail address or phone number in a user message, or choose another channel.',
  },
  hashed_only: {
    means: 'Only a hash of the address is known, and nothing can be sent to a hash.',
    toDo: 'Send the address itself in a user message, or choose another channel.',
  },
  invalid_address: {
    means: 'The address is not valid, or the provider does not know it.',
    toDo: 'Correct it by a user message; of a phone number check its country code or the default country.',
  },
  no_subscription: {
    means: 'None of the user’s devices can get pushes.',
    toDo: 'Let the user allow notifications in the browser or the app, or choose another channel.',
  },
  unsubscribed: {
    means: 'The user does not want marketing on this channel.',
    toDo: 'Respect it; messages with the purpose transactional still arrive.',
  },
  suppressed_bounce: {
    means: 'The provider said for good that nobody is reached at this address or number.',
    toDo: 'Ask the user for another one; lift the suppression only if it is known to work.',
  },
  suppressed_complaint: {
    means: 'The user reported a message as unwanted.',
    toDo: 'Send nothing more on this channel; lift the suppression only if the user asks for it.',
  },
  sms_stop: {
    means: 'The user answered STOP.',
    toDo: 'Send no more SMS; START from the same phone allows it again.',
  },
  channel_not_configured: {
    means: 'The channel has no settings, or no test send of it has succeeded.',
    toDo: 'Set it up under Channels and make a test send, then retry the failed ones.',
  },
  channel_disabled: {
    means: 'The channel is switched off.',
    toDo: 'Switch it on under Channels, then retry the failed ones.',
  },
  provider_rejected: {
    means: 'The provider refused the message for good.',
    toDo: 'Read the provider’s code and words beside the recipient, and correct what they name.',
  },
  provider_auth: {
    means: 'The provider refused the credentials of the channel.',
    toDo: 'Correct the credentials under Channels and make a test send; what waits goes out by itself.',
  },
  provider_unavailable: {
    means: 'The provider could not be reached, or said that it cannot serve.',
    toDo: 'Wait until it is back, then retry the failed ones.',
  },
  provider_timeout: {
    means: 'The provider did not answer in time.',
    toDo: 'Wait until it is back, then retry the failed ones.',
  },
  subscription_gone: {
    means: 'The browser or app has given up its subscription; it was removed.',
    toDo: 'Nothing; the device subscribes again when the user allows it.',
  },
  payload_too_large: {
    means: 'The message is larger than the provider takes.',
    toDo: 'Shorten the text, drop custom content, or link to images instead.',
  },
  rate_limited: {
    means: 'The provider asked for fewer messages until they were too old.',
    toDo: 'Set a lower rate under Channels, or ask the provider for a higher one.',
  },
  frequency_capped: {
    means: 'The user has had as much marketing as the frequency cap allows.',
    toDo: 'Nothing, or raise the cap in the settings of the application.',
  },
  quiet_hours: {
    means: 'It is held until the user’s quiet hours end.',
    toDo: 'Nothing, or send with the purpose transactional where it is that.',
  },
  spend_cap: {
    means: 'The daily cap of the channel is reached.',
    toDo: 'Raise the cap in the settings of the application, or wait for the next day.',
  },
  outcome_unknown: {
    means: 'It was handed over and nobody heard the answer.',
    toDo: 'Ask the recipient or the provider before sending again by hand.',
  },
  internal: {
    means: 'Something failed inside the service.',
    toDo: 'Look at the event log of the campaign and the logs of the worker, and retry the failed ones.',
  },
} as const satisfies Record<DeliveryReason, Explanation>;
