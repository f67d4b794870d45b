import type { Database } from '@tidings/postgres/database';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';

/** Attempts of a channel by outcome, from the event log. */
export type Outcomes = {
  readonly channel: string;
  readonly outcome: string;
  readonly providerCode: string | null;
  readonly attempts: number;
};

export async function countOutcomes(
  db: Database,
  applicationIds: readonly string[],
): Promise<readonly Outcomes[]> {
  const { rows } = await db.sql.query<Outcomes>(
    `select c.channel, e.outcome, e.provider_code as "providerCode", count(*)::int as attempts from campaign_events e join campaigns c on c.id = e.campaign_id
     where c.application_id = any($1) and c.source <> 'test' and e.outcome is not null group by 1, 2, 3 order by 1, 2, 3`,
    [applicationIds],
  );
  return rows;
}

/** Number of provider faults of each kind. */
export type Struck = {
  readonly channel: SentChannel;
  readonly limited: number;
  readonly dropped: number;
};

/** Outcome of a dropped response: unknown, or a retry where a repeat is harmless. */
const DROPPED_AS = {
  EMAIL: 'unknown',
  SMS: 'unknown',
  WEB_HOOK: 'transient',
} as const satisfies Record<SentChannel, string>;
const TOO_LATE = 'ETIMEDOUT';
/** Maximum share of attempts explained by a busy machine. */
const TOO_LATE_SHARE = 0.001;

export type OutcomeFindings = {
  readonly violations: readonly string[];
  /**
   * Responses that exceeded the worker's timeout because the machine had no CPU; the provider sent
   * none that late.
   */
  readonly tooLate: number;
};

/**
 * True reports: the log contains each rate-limit rejection, and no lost response that the provider
 * did not drop. It may have fewer lost ones, since a callback can settle a send first.
 */
export function checkOutcomes(
  outcomes: readonly Outcomes[],
  { channel, limited, dropped }: Struck,
): OutcomeFindings {
  const ours = outcomes.filter((one) => one.channel === channel);
  const refused = sumAttempts(ours.filter(({ outcome }) => outcome === 'rate_limited'));
  const ambiguous = ours.filter(({ outcome }) => outcome === DROPPED_AS[channel]);
  const lost = sumAttempts(ambiguous.filter(({ providerCode }) => providerCode !== TOO_LATE));
  const tooLate = sumAttempts(ambiguous) - lost;
  const tooLateMax = Math.max(1, Math.ceil(sumAttempts(ours) * TOO_LATE_SHARE));
  return {
    violations: [
      ...(tooLate <= tooLateMax
        ? []
        : [`${channel}: ${tooLate} attempts timed out, more than ${tooLateMax}`]),
      ...(refused === limited
        ? []
        : [`${channel}: ${limited} rate-limit rejections, ${refused} in the log`]),
      ...(lost <= dropped
        ? []
        : [
            `${channel}: ${dropped} responses were dropped, but ${lost} attempts are logged as ${DROPPED_AS[channel]}`,
          ]),
    ],
    tooLate,
  };
}

function sumAttempts(outcomes: readonly Outcomes[]): number {
  return outcomes.reduce((sum, { attempts }) => sum + attempts, 0);
}
