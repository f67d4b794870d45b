import { DELIVERY_REASON_WORDS, DELIVERY_STATE_WORDS } from './delivery-words.ts';
import { ERROR_WORDS, FIELD_WORDS, SIGN_IN_FAULT_WORDS, WARNING_WORDS } from './error-words.ts';
import { MESSAGE_OUTCOME_WORDS, RECEIPT_REASON_WORDS } from './ingest-words.ts';
import {
  ATTENTION_WORDS,
  BREAKER_WORDS,
  CAMPAIGN_STATUS_WORDS,
  DEAD_LETTER_CLASS_WORDS,
  DEAD_LETTER_STATUS_WORDS,
  WEBHOOK_ATTEMPT_WORDS,
  WEBHOOK_DISABLED_WORDS,
  WEBHOOK_FAILURE_WORDS,
} from './operation-words.ts';
import type { Words } from './words.ts';

/**
 * Every code that a person may meet, by where he meets it (the same code may mean two things in two places): what it
 * means and what to do. Pages and documents take their sentences from here. Each list is complete or does not compile.
 */
export const WORDS = {
  error: ERROR_WORDS,
  field: FIELD_WORDS,
  warning: WARNING_WORDS,
  signInFault: SIGN_IN_FAULT_WORDS,
  messageOutcome: MESSAGE_OUTCOME_WORDS,
  messageReason: RECEIPT_REASON_WORDS,
  deliveryState: DELIVERY_STATE_WORDS,
  deliveryReason: DELIVERY_REASON_WORDS,
  campaignStatus: CAMPAIGN_STATUS_WORDS,
  webhookDisabled: WEBHOOK_DISABLED_WORDS,
  webhookFailure: WEBHOOK_FAILURE_WORDS,
  webhookAttempt: WEBHOOK_ATTEMPT_WORDS,
  deadLetterClass: DEAD_LETTER_CLASS_WORDS,
  deadLetterStatus: DEAD_LETTER_STATUS_WORDS,
  breaker: BREAKER_WORDS,
  attention: ATTENTION_WORDS,
} as const satisfies Record<string, Readonly<Record<string, Words>>>;
