import type { MessageOutcome, ReceiptReason } from '../ingest.ts';
import type { Explanation } from './explanation.ts';

export const MESSAGE_OUTCOME_EXPLANATIONS = {
  pending: {
    summary: 'The message is accepted and not decided yet.',
    remedy: 'Look again in a moment; if it stays so, the consumers are behind.',
  },
  processed: { summary: 'The message is stored and visible.', remedy: 'Nothing.' },
  duplicate: {
    summary: 'The same message was there before, so this copy changes nothing.',
    remedy: 'Nothing, if it was sent again; otherwise give each message an id of its own.',
  },
  dropped: {
    summary: 'The message was left out for the reason beside it.',
    remedy: 'Follow what the reason says, then send it again with a new id.',
  },
  held: {
    summary: 'The event waits until its user is registered.',
    remedy:
      'Send a user message with the customUserId; the event becomes visible by itself within 30 days.',
  },
} as const satisfies Record<MessageOutcome, Explanation>;

export const RECEIPT_REASON_EXPLANATIONS = {
  duplicate_id: {
    summary: 'A message with this id was stored before.',
    remedy: 'Nothing, if this is a repeat; otherwise use a new id for each message.',
  },
  duplicate_user_time: {
    summary: 'An event of this serviceUserId with the same time was stored before.',
    remedy: 'Send events of one user with times that differ by at least a millisecond.',
  },
  empty_name: {
    summary: 'The event’s name is empty or blank.',
    remedy: 'Send the slug of a definition as name, or a name of your own as customName.',
  },
  unknown_slug: {
    summary: 'No definition has this slug.',
    remedy:
      'Check name against the slugs under Events, or send customName, which makes a definition.',
  },
  slug_kind_mismatch: {
    summary: 'The slug belongs to a definition of another kind.',
    remedy:
      'Send the event with the type of its definition, or with the slug of one of its own type.',
  },
  unregistered_user: {
    summary: 'The user of this event is not registered.',
    remedy: 'Send a user message with the same customUserId.',
  },
  invalid_service_user_id: {
    summary: 'The serviceUserId is no UUID.',
    remedy: 'Send the serviceUserId as you got it, or leave it out and send customUserId.',
  },
  empty_user_id: {
    summary: 'The customUserId is an empty string.',
    remedy: 'Send the id that you have given the user, or leave the field out.',
  },
  identity_conflict: {
    summary: 'The serviceUserId belongs to a user with another customUserId.',
    remedy:
      'Send each serviceUserId only with the customUserId it is of; after a log-out, let the device have a new one.',
  },
  identity_unproved: {
    summary:
      'A Client key sent a serviceUserId that is not joined to this customUserId, or that found the 50 places of the person taken. The message counts for the customUserId alone.',
    remedy: 'Identify the user on the device with a user token; then both ids belong together.',
  },
  definition_discarded: {
    summary: 'The event’s definition is discarded.',
    remedy: 'Take the definition back under Events, or stop sending the event.',
  },
  definition_limit: {
    summary:
      'The name is new, and the budget of event definitions has no room: 2,000 by Server keys; 500 by Client keys, 100 at once, then 20 an hour, or none by a setting.',
    remedy:
      'Use fewer names: what differs from event to event belongs into attributes. Discard, merge or delete definitions under Events.',
  },
  stale_profile_field: {
    summary: 'Some fields were already set by a newer message and kept that value.',
    remedy: 'Nothing; check the clock of the sender if its times should have been the newer ones.',
  },
  client_key_field: {
    summary:
      'Without a proof of the user, a Client key may not change a field that a Server key or a proved device has set, and no e-mail address or phone number of a customUserId.',
    remedy:
      'Identify the device with a user token, or send the field with a Server key. The settings of the application can allow it to all Client keys.',
  },
  dead_letter: {
    summary: 'The record could not be stored and was set aside.',
    remedy: 'Look at it under Settings, Dead letters, and replay it once the cause is removed.',
  },
} as const satisfies Record<ReceiptReason, Explanation>;
