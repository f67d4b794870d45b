import type { CampaignFailureReason, CampaignStatus } from '../../push/campaigns.ts';
import type { DeadLetterErrorClass, DeadLetterStatus } from '../../ingest/dead-letters.ts';
import type {
  WebhookAttemptError,
  WebhookDisabledReason,
  WebhookFailureReason,
} from '../../webhooks.ts';
import type { AttentionKind } from '../../attention.ts';
import type { Explanation } from './explanation.ts';

export const CAMPAIGN_STATUS_EXPLANATIONS = {
  scheduled: {
    summary: 'The campaign begins at its time.',
    remedy: 'Wait, change its time, or cancel it.',
  },
  queued: { summary: 'The campaign is accepted and has not started.', remedy: 'Wait a moment.' },
  sending: { summary: 'The campaign is being sent.', remedy: 'Follow, pause or cancel it.' },
  paused: {
    summary: 'The campaign is paused. Nothing is sent until it is resumed.',
    remedy: 'Resume or cancel it. Waiting messages may expire in the meantime.',
  },
  completed: {
    summary: 'Every recipient has an outcome, or the message is waiting for a device.',
    remedy: 'Review the failures. Some can be retried.',
  },
  canceled: {
    summary: 'The campaign was canceled before all recipients were sent to.',
    remedy: 'No action needed.',
  },
  failed: {
    summary: 'The campaign could not start: its segment gave no recipients, or an error occurred.',
    remedy: 'Check its event log, then send it again.',
  },
} as const satisfies Record<CampaignStatus, Explanation>;

export const CAMPAIGN_FAILURE_EXPLANATIONS = {
  segment_too_slow: {
    summary: 'The users of its segment could not be read in time. Nothing was sent.',
    remedy:
      'Shorten the windows of its condition, or remove those about events, and send it again. Or send to a list of users.',
  },
  segment_not_found: {
    summary: 'A segment that it names did not exist any more when it began. Nothing was sent.',
    remedy: 'Create the segment again, or name another one, and send it again.',
  },
  funnel_not_found: {
    summary: 'A funnel that it names did not exist any more when it began. Nothing was sent.',
    remedy: 'Create the funnel again, or name another one, and send it again.',
  },
  condition_too_large: {
    summary: 'The segments of its condition had grown beyond the limit of parts. Nothing was sent.',
    remedy: 'Simplify these segments, and send it again.',
  },
  too_many_recipients: {
    summary: 'More users were in its segment than a campaign may have. Nothing was sent.',
    remedy: 'Divide them into several segments, and send to each.',
  },
  too_many_persons: {
    summary:
      'More people entered a funnel of its condition than fit into memory. Nothing was sent.',
    remedy:
      'Shorten the time in which they entered, and send it again. Or let an operator raise ANALYTICS_MEMORY_MIB.',
  },
  expired: {
    summary: 'It expired before its users were read. Nothing was sent.',
    remedy: 'Send it again, with a longer time to live if it has one.',
  },
} as const satisfies Record<CampaignFailureReason, Explanation>;

export const WEBHOOK_DISABLED_EXPLANATIONS = {
  by_hand: {
    summary: 'A member or an API call disabled the endpoint.',
    remedy: 'Enable it to receive events again.',
  },
  gone: {
    summary: 'The endpoint responded with 410 Gone: it wants no more events.',
    remedy: 'Correct the URL, then enable the endpoint.',
  },
  failing: {
    summary: 'Every attempt failed for several days.',
    remedy:
      'Fix the receiver and send a test event. Then enable the endpoint and replay the missed events.',
  },
} as const satisfies Record<WebhookDisabledReason, Explanation>;

export const WEBHOOK_FAILURE_EXPLANATIONS = {
  attempts_exhausted: {
    summary: 'All attempts failed.',
    remedy: 'Fix the receiver, then replay the event.',
  },
  gone: {
    summary: 'The endpoint responded with 410 Gone.',
    remedy: 'Correct the URL and enable the endpoint. Then replay the event.',
  },
  endpoint_disabled: {
    summary: 'The endpoint was disabled before the event was sent.',
    remedy: 'Enable the endpoint, then replay the event.',
  },
} as const satisfies Record<WebhookFailureReason, Explanation>;

export const WEBHOOK_ATTEMPT_EXPLANATIONS = {
  address_refused: {
    summary: 'Calls to this address are not permitted.',
    remedy: 'Use https and a public address, or ask the operator to permit the network.',
  },
  name_not_found: {
    summary: 'The host name does not resolve.',
    remedy: 'Check the host name and its DNS records.',
  },
  connection_refused: {
    summary: 'The connection was refused.',
    remedy: 'Start the receiver, and check its port and firewall.',
  },
  connection_lost: {
    summary: 'The connection closed before a response arrived.',
    remedy: 'Check the logs of the receiver and of any proxy in front of it.',
  },
  tls_failed: {
    summary: 'The TLS handshake failed.',
    remedy: 'Check the certificate: its name, expiry date and chain.',
  },
  timeout: {
    summary: 'No response arrived within 10 s.',
    remedy: 'Respond first and process the event afterwards.',
  },
  invalid_answer: {
    summary: 'The response was not valid HTTP.',
    remedy: 'Check that the URL points to the receiver.',
  },
} as const satisfies Record<WebhookAttemptError, Explanation>;

export const DEAD_LETTER_CLASS_EXPLANATIONS = {
  unreadable: {
    summary: 'The record cannot be decoded.',
    remedy:
      'Find out which program other than the gateway writes to the topic. Discard the record if it is not yours.',
  },
  data: {
    summary: 'Postgres rejects a value in the record.',
    remedy: 'Report the SQL state as a bug. Replay the record after an update.',
  },
} as const satisfies Record<DeadLetterErrorClass, Explanation>;

export const DEAD_LETTER_STATUS_EXPLANATIONS = {
  waiting: { summary: 'The record waits for a decision.', remedy: 'Replay or discard it.' },
  replaying: {
    summary: 'The record is being processed again.',
    remedy: 'Wait a moment. Replay it again if the state does not change.',
  },
  replayed: { summary: 'The record was processed.', remedy: 'No action needed.' },
  discarded: {
    summary: 'The record was discarded and its content deleted.',
    remedy: 'No action needed.',
  },
} as const satisfies Record<DeadLetterStatus, Explanation>;

/** Why a circuit breaker is open, by the cause that workers report. */
export const BREAKER_EXPLANATIONS = {
  failures: {
    summary: 'The provider failed several times in a row. Sending is paused for a short time.',
    remedy: 'Check the provider’s status page. Sending resumes automatically.',
  },
  rate_limited: {
    summary: 'The provider is limiting the sending rate. Sending is paused for a short time.',
    remedy: 'Set a lower rate under Channels, or wait.',
  },
} as const satisfies Record<string, Explanation>;

export const ATTENTION_EXPLANATIONS = {
  dead_letters: {
    summary: 'Some messages could not be stored and are kept for review.',
    remedy: 'Review them under Settings, Dead letters.',
  },
  webhook_failing: {
    summary: 'A webhook endpoint is failing. It is disabled automatically after several days.',
    remedy: 'Check its delivery log and fix the receiver.',
  },
  webhook_disabled: {
    summary: 'A webhook endpoint was disabled because it kept failing or responded with 410 Gone.',
    remedy: 'Fix the receiver, enable the endpoint and replay the missed events.',
  },
  channel_paused: {
    summary: 'A provider rejects a channel’s settings. Its messages are kept until this is fixed.',
    remedy: 'Correct the settings and send a test.',
  },
  channel_failing: {
    summary: 'Nothing gets through on a channel, or at least half of the attempts fail.',
    remedy: 'Open the channel for the most frequent reason.',
  },
  channel_breaker_open: {
    summary:
      'A provider is failing or limiting the sending rate. Messages are kept and sent later.',
    remedy: 'Check the provider’s status page. Sending resumes automatically.',
  },
  channel_untested: {
    summary: 'A channel is configured, but no test send has succeeded.',
    remedy: 'Send a test. Until then, messages on this channel fail.',
  },
  campaign_failing: {
    summary: 'Many messages of a campaign failed, or it reached no recipients.',
    remedy: 'Open the report for the reasons and what to do.',
  },
  addresses_refused: {
    summary: 'Requests with valid keys came from IP addresses that are not on the allow-list.',
    remedy: 'Add the address if it is yours. Replace the key if it is not.',
  },
  definitions_nearly_full: {
    summary:
      'The application has almost reached its limit of event definitions. Beyond it, events with new names are dropped.',
    remedy:
      'Discard, merge or delete definitions under Events. Put variable parts of names into attributes.',
  },
  client_definitions_nearly_full: {
    summary:
      'Client keys have almost reached their limit of event definitions. Beyond it, their events with new names are dropped.',
    remedy:
      'Discard or delete definitions under Events. In the settings you can stop Client keys from creating definitions.',
  },
  ingest_behind: {
    summary: 'Accepted messages take longer than usual to process.',
    remedy: 'Check the consumers, and run more of them.',
  },
} as const satisfies Record<AttentionKind, Explanation>;
