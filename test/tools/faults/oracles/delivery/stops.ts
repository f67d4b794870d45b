import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';

/** A campaign that was told to stop sending, and when; times in milliseconds since the epoch, as the provider has them. */
export type Stop = {
  readonly what: string;
  readonly campaignId: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  /** When it was told to go on; absent when it never was. */
  readonly resumedAt?: number;
  /** Sends in flight at most: what may still come. */
  readonly inFlightMax: number;
  /** A send that was let through before the answer begins no later than this after it, and what the machine had no CPU for. */
  readonly withinMs: number;
};

export type StopFindings = { readonly note: string; readonly violations: readonly string[] };

/** Sent once: what the provider took after the answer was in flight, and nothing of it came late. */
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
    note: `${what}: ${asked} messages while it was asked for, in ${answeredAt - askedAt} ms; ${after.length} after the answer${after.length === 0 ? '' : `, the last ${lastMs} ms after it`}`,
    violations: [
      ...(times.some((at) => at <= askedAt)
        ? []
        : [`${what}: nothing of the campaign had come before it was asked for`]),
      ...(after.length > inFlightMax
        ? [
            `${what}: ${after.length} messages left after the answer, of ${inFlightMax} that may be in flight`,
          ]
        : []),
      ...(lastMs > withinMs
        ? [
            `${what}: a message left ${lastMs} ms after the answer, not within ${Math.round(withinMs)} ms`,
          ]
        : []),
    ],
  };
}
