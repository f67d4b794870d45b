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
  queued: { summary: 'It is accepted and has not begun.', remedy: 'Wait a moment.' },
  sending: { summary: 'It is being sent.', remedy: 'Watch it, pause or cancel it.' },
  paused: {
    summary: 'Nothing of it is sent until it is resumed.',
    remedy: 'Resume or cancel it; what waits may expire meanwhile.',
  },
  completed: {
    summary: 'Every recipient has an outcome, or waits for a device.',
    remedy: 'Look at the failures; some can be tried again.',
  },
  canceled: { summary: 'It was ended before everybody was sent to.', remedy: 'Nothing.' },
  failed: {
    summary: 'It could not begin, for a reason that lies in the service.',
    remedy: 'Look at its event log, and send it again.',
  },
} as const satisfies Record<CampaignStatus, Explanation>;

export const WEBHOOK_DISABLED_EXPLANATIONS = {
  by_hand: {
    summary: 'Somebody switched the endpoint off.',
    remedy: 'Enable it to get events again.',
  },
  gone: {
    summary: 'The endpoint answered 410: it wants no more events.',
    remedy: 'Correct the address, then enable it.',
  },
  failing: {
    summary: 'Every attempt failed for days.',
    remedy: 'Repair the receiver, send a test event, then enable it and replay what was missed.',
  },
} as const satisfies Record<WebhookDisabledReason, Explanation>;

export const WEBHOOK_FAILURE_EXPLANATIONS = {
  attempts_exhausted: {
    summary: 'All attempts failed.',
    remedy: 'Repair the receiver, then replay the event.',
  },
  gone: {
    summary: 'The endpoint answered 410.',
    remedy: 'Correct the address and enable the endpoint, then replay the event.',
  },
  endpoint_disabled: {
    summary: 'The endpoint was switched off before the event was sent.',
    remedy: 'Enable the endpoint, then replay the event.',
  },
} as const satisfies Record<WebhookFailureReason, Explanation>;

export const WEBHOOK_ATTEMPT_EXPLANATIONS = {
  address_refused: {
    summary: 'The address is not one that may be called.',
    remedy: 'Use https and a public address, or let the operator open the network.',
  },
  name_not_found: {
    summary: 'The host has no address.',
    remedy: 'Check the host name and its DNS.',
  },
  connection_refused: {
    summary: 'Nobody listens at the address.',
    remedy: 'Start the receiver, and check port and firewall.',
  },
  connection_lost: {
    summary: 'The connection broke before the answer came.',
    remedy: 'Look at the receiver’s log, and at proxies before it.',
  },
  tls_failed: {
    summary: 'No secure connection could be made.',
    remedy: 'Check the certificate: its name, its date and its chain.',
  },
  timeout: {
    summary: 'No answer came within 10 s.',
    remedy: 'Answer at once and do the work afterwards.',
  },
  invalid_answer: {
    summary: 'The answer was not HTTP.',
    remedy: 'Check that the address is that of the receiver.',
  },
} as const satisfies Record<WebhookAttemptError, Explanation>;

export const DEAD_LETTER_CLASS_EXPLANATIONS = {
  unreadable: {
    summary: 'Nobody can read the record.',
    remedy:
      'Find out who writes to the topic beside the gateway; discard it if it is nothing of yours.',
  },
  data: {
    summary: 'Postgres refuses what is in the record.',
    remedy: 'Report it with its SQL state; replay it after an update.',
  },
} as const satisfies Record<DeadLetterErrorClass, Explanation>;

export const DEAD_LETTER_STATUS_EXPLANATIONS = {
  waiting: { summary: 'Somebody has to decide about it.', remedy: 'Replay or discard it.' },
  replaying: {
    summary: 'It is on its way to be taken once more.',
    remedy: 'Wait a moment; replay again if it stays so.',
  },
  replayed: { summary: 'It was taken.', remedy: 'Nothing.' },
  discarded: { summary: 'It was given up and its content deleted.', remedy: 'Nothing.' },
} as const satisfies Record<DeadLetterStatus, Explanation>;

/** Why a breaker is open: the causes that workers tell. */
export const BREAKER_EXPLANATIONS = {
  failures: {
    summary: 'The provider failed many times in a row and is left alone for a while.',
    remedy: 'Look at the provider’s status; sending goes on by itself.',
  },
  rate_limited: {
    summary: 'The provider asked for fewer messages and is left alone for a while.',
    remedy: 'Set a lower rate under Channels, or wait.',
  },
} as const satisfies Record<string, Explanation>;

export const ATTENTION_EXPLANATIONS = {
  dead_letters: {
    summary: 'Records were set aside that no transaction could hold.',
    remedy: 'Look at them under Settings, Dead letters.',
  },
  webhook_failing: {
    summary: 'A webhook endpoint fails; it is switched off after some days of it.',
    remedy: 'Look at its delivery log, and repair the receiver.',
  },
  webhook_disabled: {
    summary: 'A webhook endpoint was switched off because it failed or asked for it.',
    remedy: 'Repair it, enable it and replay what was missed.',
  },
  channel_paused: {
    summary: 'A provider refuses a channel’s settings; its deliveries are kept.',
    remedy: 'Correct the settings and make a test send.',
  },
  channel_breaker_open: {
    summary: 'A provider fails or asks for fewer messages; its deliveries are kept.',
    remedy: 'Look at the provider’s status; sending goes on by itself.',
  },
  channel_untested: {
    summary: 'A channel has settings that no test send has proved.',
    remedy: 'Make a test send; until then deliveries fail.',
  },
  campaign_failing: {
    summary: 'Many messages of a campaign failed, or it reached no one.',
    remedy: 'Open its report, which says why and what to do.',
  },
  addresses_refused: {
    summary: 'Requests with valid keys came from addresses that are not on the allow-list.',
    remedy: 'Add the address if it is yours; change the key if it is not.',
  },
  definitions_nearly_full: {
    summary:
      'The application has nearly as many event definitions as it may have. Beyond the limit, events with new names are dropped.',
    remedy:
      'Discard, merge or delete definitions under Events. Put what differs from event to event into attributes.',
  },
  client_definitions_nearly_full: {
    summary:
      'Client keys have made nearly as many event definitions as they may. Beyond the limit, their events with new names are dropped.',
    remedy:
      'Discard or delete definitions under Events. To let pages create none, change the application’s settings.',
  },
  ingest_behind: {
    summary: 'Accepted messages wait longer than usual to be processed.',
    remedy: 'Look at the consumers, and run more of them.',
  },
} as const satisfies Record<AttentionKind, Explanation>;
