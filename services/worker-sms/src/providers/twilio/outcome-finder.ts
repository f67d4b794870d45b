import type { DeliveryToPoll, KnownProviderIds, OutcomePoller } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';
import { twilioStatusUpdate } from '@tidings/providers/sms/twilio/status-update';
import { createTwilioClient } from './client.ts';
import type { TwilioConfig } from './settings.ts';

type Status = Awaited<ReturnType<OutcomePoller['find']>>;

/** Tolerated difference between Twilio's clock and ours. */
const CLOCK_SKEW_MS = 60_000;
/**
 * Shorter than the delay before the first poll, so that a poll never matches a message that is
 * being sent.
 */
const LATE_MS = 30_000;
const MESSAGES_MAX = 1_000;

/**
 * Finds a message at Twilio, which does not know our ids. Candidates go to the number, were created
 * between the delivery and the end of its send, have its text, and are not known as another
 * delivery's. The match must be unique on both sides.
 */
export function createOutcomeFinder(
  { twilioTimeoutMs }: TwilioConfig,
  http: EgressHttp,
): OutcomePoller['find'] {
  return async (delivery, isKnown) => {
    if (delivery.rivals > 0) return null;
    const messages = await createTwilioClient(delivery, {
      http,
      timeoutMs: twilioTimeoutMs,
    }).messages.list({
      to: delivery.address,
      dateSentAfter: new Date(delivery.createdAt - CLOCK_SKEW_MS),
      limit: MESSAGES_MAX,
    });
    return readStatus(delivery, messages, isKnown);
  };
}

/** The message fields that are read from Twilio. */
export type FoundMessage = {
  readonly sid: string;
  readonly body: string;
  readonly direction: string;
  readonly status: string;
  readonly errorCode: number | null;
  readonly errorMessage: string | null;
  readonly dateCreated: Date | null;
};

export async function readStatus(
  delivery: DeliveryToPoll,
  messages: readonly FoundMessage[],
  isKnown: KnownProviderIds,
): Promise<Status> {
  const text = String(delivery.message['body']);
  const isInTime = (at: number): boolean =>
    at >= delivery.createdAt - CLOCK_SKEW_MS && at <= delivery.unknownSince + LATE_MS;
  const alike = messages.filter(
    ({ body, direction, dateCreated }) =>
      direction.startsWith('outbound') &&
      body === text &&
      dateCreated !== null &&
      isInTime(dateCreated.getTime()),
  );
  const known = alike.length === 0 ? new Set<string>() : await isKnown(alike.map(({ sid }) => sid));
  const [message, ...others] = alike.filter(({ sid }) => !known.has(sid));
  if (message === undefined || others.length > 0) return null;
  const news = twilioStatusUpdate(message.status, message.errorCode);
  return (
    news && {
      ...news,
      providerId: message.sid,
      providerCode: String(message.errorCode ?? message.status),
      providerMessage: message.errorMessage ?? 'found at Twilio',
    }
  );
}
