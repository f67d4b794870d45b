import { smsSegments } from '@tidings/contracts/channels/sms-segments';

/** Twilio fields of a message, stored in its `data`. */
export type TwilioMessage = {
  readonly sid: string;
  readonly accountSid: string;
  readonly from: string;
  readonly messagingServiceSid: string | null;
  readonly to: string;
  readonly body: string;
  readonly statusCallback: string | null;
  readonly segments: number;
  readonly encoding: string;
  readonly validityPeriod: string | null;
  /** A carrier error code: accepted first, undelivered later. */
  readonly failsWith: number | null;
  readonly createdAt: number;
};

/** Number that a messaging service selects from its pool. */
export const SERVICE_NUMBER = '+15005550006';

/** The status depends on elapsed time only, so it advances across restarts. */
export const SENT_AFTER_MS = 100;
export const DELIVERED_AFTER_MS = 500;

export function statusAt(
  { createdAt, failsWith }: TwilioMessage,
  now: number,
): { readonly status: string; readonly errorCode: number | null } {
  const age = now - createdAt;
  if (age < SENT_AFTER_MS) return { status: 'queued', errorCode: null };
  if (age < DELIVERED_AFTER_MS) return { status: 'sent', errorCode: null };
  return failsWith === null
    ? { status: 'delivered', errorCode: null }
    : { status: 'undelivered', errorCode: failsWith };
}

/** The message resource of Twilio's API. */
export function toResource(message: TwilioMessage, now: number): Readonly<Record<string, unknown>> {
  const { status, errorCode } = statusAt(message, now);
  const path = `/2010-04-01/Accounts/${message.accountSid}/Messages/${message.sid}`;
  const created = new Date(message.createdAt).toUTCString().replace('GMT', '+0000');
  return {
    account_sid: message.accountSid,
    api_version: '2010-04-01',
    body: message.body,
    date_created: created,
    date_sent: status === 'queued' ? null : created,
    date_updated: created,
    direction: 'outbound-api',
    error_code: errorCode,
    error_message: null,
    from: message.from,
    messaging_service_sid: message.messagingServiceSid,
    num_media: '0',
    num_segments: String(smsSegments(message.body).segments),
    price: null,
    price_unit: 'USD',
    sid: message.sid,
    status,
    subresource_uris: { media: `${path}/Media.json` },
    to: message.to,
    uri: `${path}.json`,
  };
}
