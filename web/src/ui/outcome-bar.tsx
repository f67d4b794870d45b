import { Link } from '@tanstack/react-router';
import type { Channel } from '@tidings/contracts/channels/channels';
import { computeReach } from '@tidings/contracts/push/campaign-reach';
import type { CampaignCounts } from '@tidings/contracts/push/campaigns';
import { formatCount, formatShare } from '../lib/format.ts';

/** Outcome groups with their labels. Every recipient is in exactly one. The keys are filters of the recipient list. */
const OUTCOME_LABELS = {
  successful: 'Sent',
  failed_attempts: 'Failed',
  unknown: 'Unknown',
  not_reachable: 'Not reached',
  waiting: 'Waiting',
  pending: 'Pending',
  expired: 'Expired',
  canceled: 'Canceled',
} as const;
type Group = keyof typeof OUTCOME_LABELS;
const GROUPS = Object.keys(OUTCOME_LABELS) as Group[];

/** The labels in the words of the report: e-mails that succeeded were sent and did not bounce. */
export function outcomeLabels(channel: Channel): Readonly<Record<Group, string>> {
  const { isDerived } = computeReach(channel, { sent: 0, delivered: 0 });
  return isDerived ? { ...OUTCOME_LABELS, successful: 'Delivered' } : OUTCOME_LABELS;
}

type OutcomeProps = {
  readonly channel: Channel;
  readonly counts: Pick<
    CampaignCounts,
    'total' | 'successful' | 'failed' | 'unknown' | 'waiting' | 'pending' | 'expired' | 'canceled'
  >;
  /** Failed recipients without any attempt. */
  readonly notReachable: number;
};

function groupCount(
  group: Group,
  { counts, notReachable }: Pick<OutcomeProps, 'counts' | 'notReachable'>,
): number {
  if (group === 'not_reachable') return notReachable;
  return group === 'failed_attempts' ? counts.failed - notReachable : counts[group];
}

/** A stacked bar of all recipients by outcome. */
export function OutcomeBar({
  isSmall = false,
  ...outcomes
}: OutcomeProps & { readonly isSmall?: boolean }) {
  const parts = GROUPS.map((group) => ({ group, count: groupCount(group, outcomes) })).filter(
    ({ count }) => count > 0,
  );
  const labels = outcomeLabels(outcomes.channel);
  const text =
    parts.map(({ group, count }) => `${count} ${labels[group].toLowerCase()}`).join(', ') ||
    'No outcomes yet';
  return (
    <div className={isSmall ? 'bar small' : 'bar'} role="img" aria-label={text} title={text}>
      {parts.map(({ group, count }) => (
        <span key={group} className={`fill-${group}`} style={{ flexGrow: count, flexBasis: 0 }} />
      ))}
    </div>
  );
}

/** The legend of the bar. Each entry links to its recipients. */
export function OutcomeLegend(outcomes: OutcomeProps) {
  const labels = outcomeLabels(outcomes.channel);
  const groups = GROUPS.filter(
    (group) =>
      groupCount(group, outcomes) > 0 || group === 'successful' || group === 'failed_attempts',
  );
  return (
    <ul className="legend">
      {groups.map((group) => {
        const count = groupCount(group, outcomes);
        return (
          <li key={group}>
            <span className={`swatch fill-${group}`} aria-hidden="true" />
            {count === 0 ? (
              labels[group]
            ) : (
              <Link to="." search={{ tab: 'recipients', group } as never}>
                {labels[group]}
              </Link>
            )}
            <strong className="numbers">{formatCount(count)}</strong>
            <span className="soft small">{formatShare(count, outcomes.counts.total)}</span>
          </li>
        );
      })}
    </ul>
  );
}
