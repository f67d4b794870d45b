import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';

/**
 * A campaign that was paused or canceled, with times in milliseconds since the epoch, like the
 * provider's.
 */
export type Stop = {
  readonly what: string;
  readonly campaignId: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Time of the resume; absent if there was none. */
  readonly resumedAt?: number;
  /** Maximum sends in flight, which may still arrive. */
  readonly inFlightMax: number;
  /** A send admitted before the response must start within this time after it, plus CPU waits. */
  readonly withinMs: number;
};

export type StopFindings = { readonly note: string; readonly violations: readonly string[] };

/**
 * Sent once: what the provider accepted after the response was in flight, and nothing came late.
 */
export function checkStop(accepted: readonly AcceptedMessage[], stop: Stop): StopFindings {
  const {
    what,
    campaignId,
    askedAt,
    answeredAt,
    resumedAt = Infinity,
    inFlightMax,
    withinMs,
  } = stop;
  const times = accepted
    .filter((message) => message.campaignId === campaignId)
    .map(({ receivedAt }) => receivedAt);
  const after = times.filter((at) => at > answeredAt && at < resumedAt);
  const lastMs = after.reduce((last, at) => Math.max(last, at - answeredAt), 0);
  const asked = times.filter((at) => at > askedAt && at <= answeredAt).length;
  return {
    note: `${what}: ${asked} messages during the request (${answeredAt - askedAt} ms); ${after.length} after the response${after.length === 0 ? '' : `, the last ${lastMs} ms after it`}`,
    violations: [
      ...(times.some((at) => at <= askedAt)
        ? []
        : [`${what}: nothing of the campaign was sent before the request`]),
      ...(after.length > inFlightMax
        ? [
            `${what}: ${after.length} messages were sent after the response, more than the ${inFlightMax} in flight`,
          ]
        : []),
      ...(lastMs > withinMs
        ? [
            `${what}: a message was sent ${lastMs} ms after the response, later than ${Math.round(withinMs)} ms`,
          ]
        : []),
    ],
  };
}
