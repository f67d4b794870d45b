import type { MessageOutcome, ReceiptReason } from '../../ingest/ingest.ts';
import type { Explanation } from './explanation.ts';

export const MESSAGE_OUTCOME_EXPLANATIONS = {
  pending: {
    summary: 'The message was accepted and is not processed yet.',
    remedy: 'Check again in a moment. If it stays pending, the consumers are behind.',
  },
  processed: { summary: 'The message is stored and visible.', remedy: 'No action needed.' },
  duplicate: {
    summary: 'The same message was stored before. This copy changes nothing.',
    remedy: 'No action needed for a repeated request. Otherwise give each message its own ID.',
  },
  dropped: {
    summary: 'The message was dropped. The reason next to it says why.',
    remedy: 'Follow the reason, then send the message again with a new ID.',
  },
  held: {
    summary: 'The event is held until its user is registered.',
    remedy:
      'Send a user message with the customUserId within 30 days. The event then appears automatically.',
  },
} as const satisfies Record<MessageOutcome, Explanation>;

export const RECEIPT_REASON_EXPLANATIONS = {
  duplicate_id: {
    summary: 'A message with this ID was stored before.',
    remedy: 'No action needed for a repeated request. Otherwise use a new ID for each message.',
  },
  duplicate_user_time: {
    summary: 'An event with the same serviceUserId and time was stored before.',
    remedy: 'Send a user’s events with times that differ by at least one millisecond.',
  },
  empty_name: {
    summary: 'The event name is empty or blank.',
    remedy: 'Send the slug of a definition as name, or your own name as customName.',
  },
  unknown_slug: {
    summary: 'No event definition has this slug.',
    remedy:
      'Compare name with the slugs under Events, or send customName, which creates a definition.',
  },
  slug_kind_mismatch: {
    summary: 'The slug belongs to a definition of another event type.',
    remedy: 'Send the event with the type of its definition, or use a slug of the right type.',
  },
  unregistered_user: {
    summary: 'The user of this event is not registered.',
    remedy: 'Send a user message with the same customUserId.',
  },
  invalid_service_user_id: {
    summary: 'The serviceUserId is not a UUID.',
    remedy: 'Send the serviceUserId exactly as you received it, or omit it and send customUserId.',
  },
  empty_user_id: {
    summary: 'The customUserId is an empty string.',
    remedy: 'Send your own ID of the user, or omit the field.',
  },
  identity_conflict: {
    summary: 'The serviceUserId belongs to a user with another customUserId.',
    remedy:
      'Send each serviceUserId only with its own customUserId. After a log-out, let the device request a new one.',
  },
  identity_unproved: {
    summary:
      'A Client key sent a serviceUserId that is not linked to this customUserId, or the user already has 50 linked IDs. The message counts for the customUserId only.',
    remedy: 'Identify the user on the device with a user token. This links both IDs.',
  },
  definition_discarded: {
    summary: 'This event definition no longer accepts events.',
    remedy: 'Restore the definition under Events, or stop sending the event.',
  },
  definition_limit: {
    summary:
      'The name is new, and the limit of event definitions is reached. Server keys: 2,000. Client keys: 500, with bursts of 100 and then 20 per hour, or none if the settings say so.',
    remedy:
      'Use fewer names, and put variable parts into attributes. Discard, merge or delete definitions under Events.',
  },
  stale_profile_field: {
    summary: 'Some fields kept their value because a newer message had already set them.',
    remedy: 'No action needed. If this message should be the newer one, check the sender’s clock.',
  },
  client_key_field: {
    summary:
      'Without a user token, a Client key cannot change a field that a Server key or an identified device has set. It cannot set the e-mail address or phone number of a customUserId either.',
    remedy:
      'Identify the device with a user token, or send the field with a Server key. The application’s settings can permit it for all Client keys.',
  },
  dead_letter: {
    summary: 'The message could not be stored and is kept for review.',
    remedy: 'Open it under Settings, Dead letters. Replay it once the cause is fixed.',
  },
} as const satisfies Record<ReceiptReason, Explanation>;
