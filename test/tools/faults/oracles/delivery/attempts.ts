import type { Database } from '@tidings/postgres/database';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';

/** How many attempts of a channel came to an outcome, by what their worker met, as the event log has it. */
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

/** How often a provider did what. */
export type Struck = {
  readonly channel: SentChannel;
  readonly limited: number;
  readonly dropped: number;
};

/** What an answer that was dropped comes to: nobody knows, or one more try where a repeat does no harm. */
const DROPPED_AS = {
  EMAIL: 'unknown',
  SMS: 'unknown',
  WEB_HOOK: 'transient',
} as const satisfies Record<SentChannel, string>;
const TOO_LATE = 'ETIMEDOUT';
/** So few of all attempts that a busy machine explains them. */
const TOO_LATE_SHARE = 0.001;

export type OutcomeFindings = {
  readonly violations: readonly string[];
  /** Answers that came later than their worker waits: the provider sent none so late, the machine had no time for it. */
  readonly tooLate: number;
};

/**
 * True reports: the log has each refusal for the rate, and no lost answer that the provider did not lose. It may have fewer of
 * these: a callback can settle a send before its worker finds that the answer is lost.
 */
export function checkOutcomes(
  outcomes: readonly Outcomes[],
  { channel, limited, dropped }: Struck,
): OutcomeFindings {
  const ours = outcomes.filter((one) => one.channel === channel);
  const refused = sumOf(ours.filter(({ outcome }) => outcome === 'rate_limited'));
  const doubts = ours.filter(({ outcome }) => outcome === DROPPED_AS[channel]);
  const lost = sumOf(doubts.filter(({ providerCode }) => providerCode !== TOO_LATE));
  const tooLate = sumOf(doubts) - lost;
  const tooLateMax = Math.max(1, Math.ceil(sumOf(ours) * TOO_LATE_SHARE));
  return {
    violations: [
      ...(tooLate <= tooLateMax
        ? []
        : [`${channel}: ${tooLate} attempts ended by a timeout, of ${tooLateMax} at most`]),
      ...(refused === limited
        ? []
        : [`${channel}: ${limited} refusals for the rate, ${refused} in the log`]),
      ...(lost <= dropped
        ? []
        : [
            `${channel}: ${dropped} answers were dropped, and ${lost} attempts are logged as ${DROPPED_AS[channel]}`,
          ]),
    ],
    tooLate,
  };
}

function sumOf(outcomes: readonly Outcomes[]): number {
  return outcomes.reduce((sum, { attempts }) => sum + attempts, 0);
}
