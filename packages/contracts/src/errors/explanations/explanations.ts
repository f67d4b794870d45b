import {
  AUTOMATION_STATUS_EXPLANATIONS,
  REHEARSAL_ERROR_EXPLANATIONS,
  REHEARSAL_STATUS_EXPLANATIONS,
  ENTRY_REFUSAL_EXPLANATIONS,
  RUN_STATUS_EXPLANATIONS,
  SKIP_REASON_EXPLANATIONS,
  TRACE_OUTCOME_EXPLANATIONS,
} from './automation-explanations.ts';
import {
  ACCOUNT_REASON_EXPLANATIONS,
  BOUNCE_EXPLANATIONS,
  DELIVERY_REASON_EXPLANATIONS,
  DELIVERY_STATE_EXPLANATIONS,
} from './delivery-explanations.ts';
import {
  ERROR_EXPLANATIONS,
  FIELD_EXPLANATIONS,
  SIGN_IN_FAULT_EXPLANATIONS,
  WARNING_EXPLANATIONS,
} from './error-explanations.ts';
import {
  MESSAGE_OUTCOME_EXPLANATIONS,
  RECEIPT_REASON_EXPLANATIONS,
} from './ingest-explanations.ts';
import {
  ATTENTION_EXPLANATIONS,
  BREAKER_EXPLANATIONS,
  CAMPAIGN_FAILURE_EXPLANATIONS,
  CAMPAIGN_STATUS_EXPLANATIONS,
  DEAD_LETTER_CLASS_EXPLANATIONS,
  DEAD_LETTER_STATUS_EXPLANATIONS,
  WEBHOOK_ATTEMPT_EXPLANATIONS,
  WEBHOOK_DISABLED_EXPLANATIONS,
  WEBHOOK_FAILURE_EXPLANATIONS,
} from './operation-explanations.ts';
import { RENDER_FAULT_EXPLANATIONS } from './render-explanations.ts';
import type { Explanation } from './explanation.ts';

/**
 * The explanation of every code that a person may meet, grouped by where the code appears: the same code can mean
 * different things in different places. The dashboard and the documentation take their sentences from here. A missing
 * code is a compile error.
 */
export const EXPLANATIONS = {
  error: ERROR_EXPLANATIONS,
  field: FIELD_EXPLANATIONS,
  warning: WARNING_EXPLANATIONS,
  signInFault: SIGN_IN_FAULT_EXPLANATIONS,
  messageOutcome: MESSAGE_OUTCOME_EXPLANATIONS,
  messageReason: RECEIPT_REASON_EXPLANATIONS,
  deliveryState: DELIVERY_STATE_EXPLANATIONS,
  deliveryReason: DELIVERY_REASON_EXPLANATIONS,
  accountReason: ACCOUNT_REASON_EXPLANATIONS,
  bounceClass: BOUNCE_EXPLANATIONS,
  renderFault: RENDER_FAULT_EXPLANATIONS,
  campaignStatus: CAMPAIGN_STATUS_EXPLANATIONS,
  campaignFailure: CAMPAIGN_FAILURE_EXPLANATIONS,
  webhookDisabled: WEBHOOK_DISABLED_EXPLANATIONS,
  webhookFailure: WEBHOOK_FAILURE_EXPLANATIONS,
  webhookAttempt: WEBHOOK_ATTEMPT_EXPLANATIONS,
  deadLetterClass: DEAD_LETTER_CLASS_EXPLANATIONS,
  deadLetterStatus: DEAD_LETTER_STATUS_EXPLANATIONS,
  breaker: BREAKER_EXPLANATIONS,
  attention: ATTENTION_EXPLANATIONS,
  automationStatus: AUTOMATION_STATUS_EXPLANATIONS,
  rehearsalStatus: REHEARSAL_STATUS_EXPLANATIONS,
  rehearsalError: REHEARSAL_ERROR_EXPLANATIONS,
  runStatus: RUN_STATUS_EXPLANATIONS,
  entryRefusal: ENTRY_REFUSAL_EXPLANATIONS,
  traceOutcome: TRACE_OUTCOME_EXPLANATIONS,
  skipReason: SKIP_REASON_EXPLANATIONS,
} as const satisfies Record<string, Readonly<Record<string, Explanation>>>;
