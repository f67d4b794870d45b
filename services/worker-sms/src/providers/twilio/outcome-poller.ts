import type { DeliveryToPoll, KnownProviderIds, OutcomePoller } from '@tidings/channel-worker';
import type { EgressHttp } from '@tidings/egress';
import { twilioStatusUpdate } from '@tidings/providers/sms/twilio/status-update';
import { twilioOf } from './client.ts';
import type { TwilioConfig } from './settings.ts';

type Status = Awaited<ReturnType<OutcomePoller['find']>>;

/** Twilio's clock and ours need not agree. */
const CLOCK_SKEW_MS = 60_000;
/** Less than the time before a look-up, so that it never meets a message that is being sent just now. */
const LATE_MS = 30_000;
const MESSAGES_MAX = 1_000;

/**
 * Looks for a message at Twilio, which knows nothing of our ids: among those to the number that were made between the
 * delivery and the end of its sending, with its text and not known as another's, it must be the only one, and no other
 * delivery may be it as well.
 */
export function createOutcomePoller(
  { pollAfterMs, pollIntervalMs, pollUntilMs, twilioTimeoutMs }: TwilioConfig,
  http: EgressHttp,
): OutcomePoller {
  return {
    afterMs: pollAfterMs,
    intervalMs: pollIntervalMs,
    untilMs: pollUntilMs,
    async find(delivery, isKnown) {
      if (delivery.rivals > 0) return null;
      const messages = await twilioOf(delivery, { http, timeoutMs: twilioTimeoutMs }).messages.list(
        {
          to: delivery.address,
          dateSentAfter: new Date(delivery.createdAt - CLOCK_SKEW_MS),
          limit: MESSAGES_MAX,
        },
      );
      return statusOf(delivery, messages, isKnown);
    },
  };
}

/** What we ask of a message at Twilio. */
export type FoundMessage = {
  readonly sid: string;
  readonly body: string;
  readonly direction: string;
  readonly status: string;
  readonly errorCode: number | null;
  readonly errorMessage: string | null;
  readonly dateCreated: Date | null;
};

export async function statusOf(
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
