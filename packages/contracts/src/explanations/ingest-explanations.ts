import type { MessageOutcome, ReceiptReason } from '../ingest.ts';
import type { Explanation } from './explanation.ts';

export const MESSAGE_OUTCOME_EXPLANATIONS = {
  pending: {
    means: 'The message is accepted and not decided yet.',
    toDo: 'Look again in a moment; if it stays so, the consumers are behind.',
  },
  processed: { means: 'The message is stored and visible.', toDo: 'Nothing.' },
  duplicate: {
    means: 'The same message was there before, so this copy changes nothing.',
    toDo: 'Nothing, if it was sent again; otherwise give each message an id of its own.',
  },
  dropped: {
    means: 'The message was left out for the reason beside it.',
    toDo: 'Follow what the reason says, then send it again with a new id.',
  },
  held: {
    means: 'The event waits until its user is registered.',
    toDo: 'Send a user message with the customUserId; the event becomes visible by itself within 30 days.',
  },
} as const satisfies Record<MessageOutcome, Explanation>;

export const RECEIPT_REASON_EXPLANATIONS = {
  duplicate_id: {
    means: 'A message with this id was stored before.',
    toDo: 'Nothing, if this is a repeat; otherwise use a new id for each message.',
  },
  duplicate_user_time: {
    means: 'An event of this serviceUserId with the same time was stored before.',
    toDo: 'Send events of one user with times that differ by at least a millisecond.',
  },
  empty_name: {
    means: 'The event’s name is empty or blank.',
    toDo: 'Send the slug of a definition as name, or a name of your own as customName.',
  },
  unknown_slug: {
    means: 'No definition has this slug.',
    toDo: 'Check name against the slugs under Events, or send customName, which makes a definition.',
  },
  slug_kind_mismatch: {
    means: 'The slug belongs to a definition of another kind.',
    toDo: 'Send the event with the type of its definition, or with the slug of one of its own type.',
  },
  unregistered_user: {
    means: 'The user of this event is not registered.',
    toDo: 'Send a user message with the same customUserId.',
  },
  invalid_service_user_id: {
    means: 'The serviceUserId is no UUID.',
    toDo: 'Send the serviceUserId as you got it, or leave it out and send customUserId.',
  },
  empty_user_id: {
    means: 'The customUserId is an empty string.',
    toDo: 'Send the id that you have given the user, or leave the field out.',
  },
  identity_conflict: {
    means: 'The serviceUserId belongs to a user with another customUserId.',
    toDo: 'Send each serviceUserId only with the customUserId it is of; after a log-out, let the device have a new one.',
  },
  identity_unproved: {
    means:
      'A Client key sent a serviceUserId that is not joined to this customUserId, or that found the 50 places of the person taken. The message counts for the customUserId alone.',
    toDo: 'Identify the user on the device with a user token; then both ids belong together.',
  },
  definition_discarded: {
    means: 'The event’s definition is discarded.',
    toDo: 'Take the definition back under Events, or stop sending the event.',
  },
  definition_limit: {
    means:
      'The name is new, and the budget of event definitions has no room: 2,000 by Server keys; 500 by Client keys, 100 at once, then 20 an hour, or none by a setting.',
    toDo: 'Use fewer names: what differs from event to event belongs into attributes. Discard, merge or delete definitions under Events.',
  },
  stale_profile_field: {
    means: 'Some fields were already set by a newer message and kept that value.',
    toDo: 'Nothing; check the clock of the sender if its times should have been the newer ones.',
  },
  client_key_field: {
    means:
      'Without a proof of the user, a Client key may not change a field that a Server key or a proved device has set, and no e-mail address or phone number of a customUserId.',
    toDo: 'Identify the device with a user token, or send the field with a Server key. The settings of the application can allow it to all Client keys.',
  },
  dead_letter: {
    means: 'The record could not be stored and was set aside.',
    toDo: 'Look at it under Settings, Dead letters, and replay it once the cause is removed.',
  },
} as const satisfies Record<ReceiptReason, Explanation>;
