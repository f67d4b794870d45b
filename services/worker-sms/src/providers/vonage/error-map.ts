import type { SendResult } from '@tidings/channel-worker';
import type { HttpAnswer } from '@tidings/egress';
import { readVonageProblem } from '@tidings/providers/sms/vonage/problem';
import {
  AUTH,
  INVALID,
  LIMITED,
  NUMBER_BARRED,
  PERMANENT,
  resultOf,
  SENDER,
  STOPPED,
  TOO_LONG,
  UNAVAILABLE,
  UNMAPPED,
  type Refusal,
} from '../refusals.ts';

/**
 * Codes of rejections (developer.vonage.com/api-errors, "Generic errors" and "Messages API") that say
 * more than the HTTP status.
 */
const BY_CODE: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ['unauthorized', AUTH],
  ['forbidden', AUTH],
  ['low-balance', AUTH],
  ['1060', AUTH], // the account is barred
  ['1070', AUTH], // no credit left
  ['1110', AUTH], // the signature is wrong
  ['1080', SENDER], // the account may not send by this API
  ['1140', SENDER], // the account may not use a feature
  ['1120', NUMBER_BARRED], // the sender is not allowed in the country of the number
  ['1160', NUMBER_BARRED], // a trial account, a number that is not verified
  ['1000', LIMITED],
  ['1241', LIMITED], // too many to this number
  ['1170', INVALID], // not a phone number
  ['1190', INVALID], // the number is no longer used
  ['1240', STOPPED],
  ['1040', PERMANENT], // no route to a number with this prefix
  ['1050', PERMANENT], // the number may not receive messages
  ['1250', PERMANENT], // no route to this number
  ['1010', PERMANENT], // a parameter is missing
  ['1130', PERMANENT], // the time to live
  ['1090', TOO_LONG],
  ['1100', UNAVAILABLE], // not submitted: a failure of communication
]);
/** "Invalid params": the parameters say whose fault it is. */
const INVALID_PARAMETERS = '1020';
const BY_PARAMETER: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ['to', INVALID],
  ['from', SENDER],
  ['text', TOO_LONG],
]);

/** Classifies an answer other than 202, by HTTP status first, by code where it says more. */
export function classifyVonageRejection(answer: HttpAnswer, nowMs = Date.now()): SendResult {
  const { code, parameters, text } = readVonageProblem(answer.body);
  const words = {
    providerCode: code ?? String(answer.status),
    providerMessage: text ?? `HTTP ${answer.status}`,
  };
  return resultOf(findRefusal(answer.status, code, parameters), words, { answer, nowMs });
}

/** Null if the outcome is unknown: an unreadable 2xx, or 5xx other than 503. */
function findRefusal(
  status: number,
  code: string | undefined,
  parameters: readonly string[],
): Refusal | null {
  if (status >= 200 && status < 300) return null;
  const known = code === undefined ? undefined : BY_CODE.get(code);
  if (status === 429) return known?.status === 'rate_limited' ? known : LIMITED;
  if (status === 503) return UNAVAILABLE;
  if (status >= 500) return null;
  if (known !== undefined) return known;
  const [parameter] = parameters;
  if (parameter !== undefined && (code === INVALID_PARAMETERS || status === 422))
    return BY_PARAMETER.get(parameter) ?? PERMANENT;
  if (status === 401 || status === 402 || status === 403) return AUTH;
  // Not Vonage's API: the configured URL is wrong.
  if (status < 400 || status === 404 || status === 405) return SENDER;
  return code === INVALID_PARAMETERS ? PERMANENT : UNMAPPED;
}
