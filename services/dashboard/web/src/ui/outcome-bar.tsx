import { Link } from '@tanstack/react-router';
import type { CampaignCounts } from '@tidings/contracts';
import { formatCount, formatShare, humanize } from '../lib/format.ts';

/** The groups that every recipient is in exactly one of. */
export const OUTCOME_GROUPS = ['successful', 'failed', 'unknown', 'waiting', 'pending', 'expired', 'canceled'] as const satisfies readonly (keyof CampaignCounts)[];
type Counts = Pick<CampaignCounts, (typeof OUTCOME_GROUPS)[number] | 'total'>;

/** One bar whose parts sum up to all recipients. */
export function OutcomeBar({ counts, isSmall = false }: { readonly counts: Counts; readonly isSmall?: boolean }) {
  const parts = OUTCOME_GROUPS.filter((group) => counts[group] > 0);
  const text = parts.map((group) => `${counts[group]} ${group}`).join(', ') || 'nobody yet';
  return (
    <div className={isSmall ? 'bar small' : 'bar'} role="img" aria-label={text} title={text}>
      {parts.map((group) => (
        <span key={group} className={`fill-${group}`} style={{ flexGrow: counts[group], flexBasis: 0 }} />
      ))}
    </div>
  );
}

/** What the parts of the bar are, each with the way to its recipients. */
export function OutcomeLegend({ counts }: { readonly counts: Counts }) {
  return (
    <ul className="legend">
      {OUTCOME_GROUPS.filter((group) => counts[group] > 0 || group === 'successful' || group === 'failed').map((group) => (
        <li key={group}>
          <span className={`swatch fill-${group}`} aria-hidden="true" />
          {counts[group] === 0 ? (
            humanize(group)
          ) : (
            <Link to="." search={{ tab: 'recipients', group } as never}>
              {humanize(group)}
            </Link>
          )}
          <strong className="numbers">{formatCount(counts[group])}</strong>
          <span className="soft small">{formatShare(counts[group], counts.total)}</span>
        </li>
      ))}
    </ul>
  );
}
