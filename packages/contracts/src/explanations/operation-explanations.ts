import type { CampaignStatus } from '../campaigns.ts';
import type { DeadLetterErrorClass, DeadLetterStatus } from '../dead-letters.ts';
import type {
  WebhookAttemptError,
  WebhookDisabledReason,
  WebhookFailureReason,
} from '../webhooks.ts';
import type { AttentionKind } from '../attention.ts';
import type { Explanation } from './explanation.ts';

export const CAMPAIGN_STATUS_EXPLANATIONS = {
  queued: { means: 'It is accepted and has not begun.', toDo: 'Wait a moment.' },
  sending: { means: 'It is being sent.', toDo: 'Watch it, pause or cancel it.' },
  paused: {
    means: 'Nothing of it is sent until it is resumed.',
    toDo: 'Resume or cancel it; what waits may expire meanwhile.',
  },
  completed: {
    means: 'Every recipient has an outcome, or waits for a device.',
    toDo: 'Look at the failures; some can be tried again.',
  },
  canceled: { means: 'It was ended before everybody was sent to.', toDo: 'Nothing.' },
  failed: {
    means: 'It could not begin, for a reason that lies in the service.',
    toDo: 'Look at its event log, and send it again.',
  },
} as const satisfies Record<CampaignStatus, Explanation>;

export const WEBHOOK_DISABLED_EXPLANATIONS = {
  by_hand: { means: 'Somebody switched the endpoint off.', toDo: 'Enable it to get events again.' },
  gone: {
    means: 'The endpoint answered 410: it wants no more events.',
    toDo: 'Correct the address, then enable it.',
  },
  failing: {
    means: 'Every attempt failed for days.',
    toDo: 'Repair the receiver, send a test event, then enable it and replay what was missed.',
  },
} as const satisfies Record<WebhookDisabledReason, Explanation>;

export const WEBHOOK_FAILURE_EXPLANATIONS = {
  attempts_exhausted: {
    means: 'All attempts failed.',
    toDo: 'Repair the receiver, then replay the event.',
  },
  gone: {
    means: 'The endpoint answered 410.',
    toDo: 'Correct the address and enable the endpoint, then replay the event.',
  },
  endpoint_disabled: {
    means: 'The endpoint was switched off before the event was sent.',
    toDo: 'Enable the endpoint, then replay the event.',
  },
} as const satisfies Record<WebhookFailureReason, Explanation>;

export const WEBHOOK_ATTEMPT_EXPLANATIONS = {
  address_refused: {
    means: 'The address is not one that may be called.',
    toDo: 'Use https and a public address, or let the operator open the network.',
  },
  name_not_found: { means: 'The host has no address.', toDo: 'Check the host name and its DNS.' },
  connection_refused: {
    means: 'Nobody listens at the address.',
    toDo: 'Start the receiver, and check port and firewall.',
  },
  connection_lost: {
    means: 'The connection broke before the answer came.',
    toDo: 'Look at the receiver’s log, and at proxies before it.',
  },
  tls_failed: {
    means: 'No secure connection could be made.',
    toDo: 'Check the certificate: its name, its date and its chain.',
  },
  timeout: {
    means: 'No answer came within 10 s.',
    toDo: 'Answer at once and do the work afterwards.',
  },
  invalid_answer: {
    means: 'The answer was not HTTP.',
    toDo: 'Check that the address is that of the receiver.',
  },
} as const satisfies Record<WebhookAttemptError, Explanation>;

export const DEAD_LETTER_CLASS_EXPLANATIONS = {
  unreadable: {
    means: 'Nobody can read the record.',
    toDo: 'Find out who writes to the topic beside the gateway; discard it if it is nothing of yours.',
  },
  data: {
    means: 'Postgres refuses what is in the record.',
    toDo: 'Report it with its SQL state; replay it after an update.',
  },
} as const satisfies Record<DeadLetterErrorClass, Explanation>;

export const DEAD_LETTER_STATUS_EXPLANATIONS = {
  waiting: { means: 'Somebody has to decide about it.', toDo: 'Replay or discard it.' },
  replaying: {
    means: 'It is on its way to be taken once more.',
    toDo: 'Wait a moment; replay again if it stays so.',
  },
  replayed: { means: 'It was taken.', toDo: 'Nothing.' },
  discarded: { means: 'It was given up and its content deleted.', toDo: 'Nothing.' },
} as const satisfies Record<DeadLetterStatus, Explanation>;

/** Why a breaker is open: the causes that workers tell. */
export const BREAKER_EXPLANATIONS = {
  failures: {
    means: 'The provider failed many times in a row and is left alone for a while.',
    toDo: 'Look at the provider’s status; sending goes on by itself.',
  },
  rate_limited: {
    means: 'The provider asked for fewer messages and is left alone for a while.',
    toDo: 'Set a lower rate under Channels, or wait.',
  },
} as const satisfies Record<string, Explanation>;

export const ATTENTION_EXPLANATIONS = {
  dead_letters: {
    means: 'Records were set aside that no transaction could hold.',
    toDo: 'Look at them under Settings, Dead letters.',
  },
  webhook_failing: {
    means: 'A webhook endpoint fails; it is switched off after some days of it.',
    toDo: 'Look at its delivery log, and repair the receiver.',
  },
  webhook_disabled: {
    means: 'A webhook endpoint was switched off because it failed or asked for it.',
    toDo: 'Repair it, enable it and replay what was missed.',
  },
  channel_paused: {
    means: 'A provider refuses a channel’s settings; its deliveries are kept.',
    toDo: 'Correct the settings and make a test send.',
  },
  channel_breaker_open: {
    means: 'A provider fails or asks for fewer messages; its deliveries are kept.',
    toDo: 'Look at the provider’s status; sending goes on by itself.',
  },
  channel_untested: {
    means: 'A channel has settings that no test send has proved.',
    toDo: 'Make a test send; until then deliveries fail.',
  },
  campaign_failing: {
    means: 'Many messages of a campaign failed, or it reached no one.',
    toDo: 'Open its report, which says why and what to do.',
  },
  addresses_refused: {
    means: 'Requests with valid keys came from addresses that are not on the allow-list.',
    toDo: 'Add the address if it is yours; change the key if it is not.',
  },
  definitions_nearly_full: {
    means:
      'The application has nearly as many event definitions as it may have. Beyond the limit, events with new names are dropped.',
    toDo: 'Discard, merge or delete definitions under Events. Put what differs from event to event into attributes.',
  },
  client_definitions_nearly_full: {
    means:
      'Client keys have made nearly as many event definitions as they may. Beyond the limit, their events with new names are dropped.',
    toDo: 'Discard or delete definitions under Events. To let pages create none, change the application’s settings.',
  },
  ingest_behind: {
    means: 'Accepted messages wait longer than usual to be processed.',
    toDo: 'Look at the consumers, and run more of them.',
  },
} as const satisfies Record<AttentionKind, Explanation>;
