import type { AccountReason } from '../../channels/accounts.ts';
import type { BounceClass } from '../../push/bounces.ts';
import type { DeliveryReason, DeliveryState } from '../../push/deliveries.ts';
import type { Explanation } from './explanation.ts';

export const DELIVERY_STATE_EXPLANATIONS = {
  pending: {
    summary: 'The message is waiting to be sent.',
    remedy: 'Wait. If it is on hold, the reason next to it says why.',
  },
  claimed: {
    summary: 'A worker has picked up the message and has not sent it yet.',
    remedy: 'Wait a moment.',
  },
  sending: {
    summary: 'The message is being passed to the provider.',
    remedy: 'Wait for the provider’s response.',
  },
  retry_wait: {
    summary: 'An attempt failed temporarily and will be retried.',
    remedy: 'No action needed. The reason next to it says what failed.',
  },
  waiting: {
    summary: 'The message is available to the user’s devices, but none has shown it yet.',
    remedy: 'No action needed. It is shown when the user comes back, unless it expires first.',
  },
  sent: { summary: 'The provider accepted the message.', remedy: 'No action needed.' },
  delivered: { summary: 'The provider confirmed delivery.', remedy: 'No action needed.' },
  displayed: { summary: 'A device showed the message.', remedy: 'No action needed.' },
  opened: { summary: 'The recipient opened the message.', remedy: 'No action needed.' },
  clicked: {
    summary: 'The recipient clicked a link or a button in the message.',
    remedy: 'No action needed.',
  },
  failed: {
    summary: 'The message was not delivered. The reason next to it says why.',
    remedy: 'Follow the reason. You can retry messages that no provider accepted.',
  },
  unknown: {
    summary:
      'The message left for the provider, but no response arrived. It may have been delivered.',
    remedy: 'Check with the recipient or the provider before you send it again.',
  },
  expired: {
    summary: 'The time to live ended before the message was sent.',
    remedy: 'Send it again with a longer time to live if it still matters.',
  },
  canceled: {
    summary: 'The campaign was canceled before the message was sent to this recipient.',
    remedy: 'No action needed.',
  },
} as const satisfies Record<DeliveryState, Explanation>;

export const DELIVERY_REASON_EXPLANATIONS = {
  unknown_user: {
    summary: 'No user with this ID is registered.',
    remedy: 'Register the user, or remove the ID from the recipients.',
  },
  no_address: {
    summary: 'The user has no address for this channel.',
    remedy: 'Add the e-mail address or phone number to the profile, or choose another channel.',
  },
  hashed_only: {
    summary: 'Only a hash of the address is on file. Messages cannot be sent to a hash.',
    remedy: 'Add the address itself to the profile, or choose another channel.',
  },
  invalid_address: {
    summary: 'The address is malformed, or the provider does not know it.',
    remedy:
      'Correct it in the profile. For phone numbers, check the country code and the default country.',
  },
  no_subscription: {
    summary: 'None of the user’s devices can receive push messages.',
    remedy: 'Ask the user to allow notifications in the browser or app, or choose another channel.',
  },
  unsubscribed: {
    summary: 'The user unsubscribed from marketing on this channel.',
    remedy: 'Respect the choice. Messages with the purpose transactional can still be sent.',
  },
  suppressed_bounce: {
    summary:
      'Hard bounce: an earlier message bounced because the address or number does not exist.',
    remedy:
      'Ask the user for a new one. Remove the suppression only if you know that the address works.',
  },
  suppressed_complaint: {
    summary: 'The user marked an earlier message as spam.',
    remedy: 'Stop sending on this channel. Remove the suppression only if the user asks for it.',
  },
  sms_stop: {
    summary: 'The user replied STOP.',
    remedy: 'Stop sending SMS. The user can opt in again by replying START from the same phone.',
  },
  channel_not_configured: {
    summary: 'The channel has no settings, or no test send has succeeded.',
    remedy: 'Set it up under Channels and send a test. Then retry the failed messages.',
  },
  channel_disabled: {
    summary: 'The channel is disabled.',
    remedy: 'Enable it under Channels. Then retry the failed messages.',
  },
  left_segment: {
    summary:
      'The user no longer matched the campaign when their message was due: they had left its segment, or its condition was no longer true.',
    remedy:
      'No action needed: the campaign asks again before each message. One that does not also sends to those who left.',
  },
  provider_rejected: {
    summary: 'The provider permanently rejected the message.',
    remedy: 'Read the provider’s code and response next to the recipient, and fix what they name.',
  },
  provider_auth: {
    summary: 'The provider rejected the channel’s credentials.',
    remedy:
      'Correct the credentials under Channels and send a test. Waiting messages are then sent automatically.',
  },
  provider_unavailable: {
    summary: 'The provider could not be reached, or reported an outage.',
    remedy: 'Wait until the provider is back. Then retry the failed messages.',
  },
  provider_timeout: {
    summary: 'The provider did not respond in time.',
    remedy: 'Wait until the provider is back. Then retry the failed messages.',
  },
  subscription_gone: {
    summary: 'The push subscription no longer exists in the browser or app. It was removed.',
    remedy: 'No action needed. The device subscribes again once the user allows it.',
  },
  payload_too_large: {
    summary: 'The message exceeds the provider’s size limit.',
    remedy: 'Shorten the text, remove custom content, or link to images instead.',
  },
  rate_limited: {
    summary: 'The provider kept limiting the sending rate until the message expired.',
    remedy: 'Set a lower rate under Channels, or ask the provider for a higher limit.',
  },
  frequency_capped: {
    summary: 'The user has reached the frequency cap for marketing messages.',
    remedy: 'No action needed. To send more, raise the cap in the channel’s limits.',
  },
  quiet_hours: {
    summary: 'The user’s quiet hours held back the message.',
    remedy: 'No action needed. Receipts and password resets can use the purpose transactional.',
  },
  template_error: {
    summary: 'The message could not be rendered for this user: mostly because a value is missing.',
    remedy:
      'The provider response of each recipient names the value. Give it a default, as {{ user.firstName | default: "there" }}.',
  },
  spend_cap: {
    summary: 'The channel has reached its daily cap.',
    remedy: 'Raise the cap in the channel’s limits, or wait until the next day.',
  },
  outcome_unknown: {
    summary:
      'The message left for the provider, but no response arrived. It may have been delivered.',
    remedy: 'Check with the recipient or the provider before you send it again.',
  },
  internal: {
    summary: 'An internal error occurred.',
    remedy: 'Check the campaign’s event log and the worker’s logs. Then retry the failed messages.',
  },
} as const satisfies Record<DeliveryReason, Explanation>;

export const BOUNCE_EXPLANATIONS = {
  no_mailbox: {
    summary: 'The mailbox does not exist, or is disabled for good. The address is suppressed.',
    remedy: 'Ask the user for another address. If many bounce at once, check where they came from.',
  },
  mailbox_full: {
    summary: 'The mailbox is full.',
    remedy: 'Try again in some days. A mailbox that stays full is mostly abandoned.',
  },
  refused: {
    summary: 'The receiver refused the sender or the content.',
    remedy:
      'Check SPF, DKIM and DMARC of the sender’s domain, block lists, and the message: its links, its words and its size.',
  },
  policy: {
    summary: 'A rule of the receiver forbade the message, or too many arrived at once.',
    remedy:
      'Read the provider’s response. Set a lower rate under Channels, or ask the receiver’s administrator.',
  },
  temporary: {
    summary: 'The receiver had a temporary fault until the mail server gave up.',
    remedy: 'Retry the failed messages later.',
  },
  unknown: {
    summary: 'The mail server gave no reason that is known.',
    remedy: 'Read the provider’s response next to the recipient.',
  },
} as const satisfies Record<BounceClass, Explanation>;

/** Why a delivery went by this account, of several. */
export const ACCOUNT_REASON_EXPLANATIONS = {
  order: {
    summary: 'The first account in their order.',
    remedy: 'Change the order, or give the accounts shares, under Channels.',
  },
  share: {
    summary: 'Chosen by the shares of the accounts. An address always gets the same one.',
    remedy: 'Change the shares under Channels.',
  },
  country: {
    summary: 'An account for the country of the number.',
    remedy: 'Change the countries of the accounts under Channels.',
  },
  breaker_open: {
    summary: 'The account before it was failing, so this one sent.',
    remedy: 'See under Channels when the other one is tried again.',
  },
  paused: {
    summary: 'The settings of the account before it are wrong, so this one sent.',
    remedy: 'Correct the settings of the other one under Channels, and send a test.',
  },
  not_accepted: {
    summary: 'The account before it certainly did not accept the message, so this one sent.',
    remedy: 'Read its response in the event log.',
  },
} as const satisfies Record<AccountReason, Explanation>;
