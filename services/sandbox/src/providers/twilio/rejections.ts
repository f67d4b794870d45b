import { isE164 } from '@tidings/contracts/channels/addresses';

export type TwilioRejection = {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
};

const refusal = (code: number, message: string, status = 400): TwilioRejection => ({
  status,
  code,
  message,
});

/**
 * Magic numbers of Twilio's test credentials, with the error of each
 * (twilio.com/docs/iam/test-credentials).
 */
const MAGIC_NUMBERS: Readonly<Record<string, TwilioRejection>> = {
  '+15005550001': refusal(21211, 'The To number is not a valid phone number.'),
  '+15005550002': refusal(21612, 'The To number is not reachable from this sender.'),
  '+15005550003': refusal(21408, 'Permission to send to this region is not enabled.'),
  '+15005550004': refusal(21610, 'The recipient has opted out of this sender.'),
  '+15005550009': refusal(21614, 'The To number is not a mobile number.'),
};
const BODY_CHARS_MAX = 1600;

export const OPTED_OUT = refusal(21610, 'Attempt to send to unsubscribed recipient');

/** Twilio's error for an invalid send; undefined if it is valid. */
export function checkSend({
  To,
  From,
  MessagingServiceSid,
  Body,
}: Readonly<Record<string, string | undefined>>): TwilioRejection | undefined {
  if (!To) return refusal(21604, "A 'To' phone number is required.");
  if (!From && !MessagingServiceSid) return refusal(21603, "A 'From' phone number is required.");
  if (!Body) return refusal(21602, 'Message body is required.');
  if (!isE164(To)) return refusal(21211, 'The To number is not a valid phone number.');
  if (Body.length > BODY_CHARS_MAX)
    return refusal(21617, 'The concatenated message body exceeds the 1600 character limit.');
  return MAGIC_NUMBERS[To];
}

export const UNAUTHENTICATED = refusal(20003, 'Authenticate', 401);
export const NO_SUCH_RESOURCE = refusal(20404, 'The requested resource was not found', 404);
