import type { CampaignCounts } from '@tidings/contracts';
import { formatCount, formatShare, humanize } from '../lib/format.ts';

/** The groups that every recipient is in exactly one of. */
const GROUPS = ['successful', 'failed', 'unknown', 'waiting', 'pending', 'expired', 'canceled'] as const satisfies readonly (keyof CampaignCounts)[];

/** One bar whose parts sum up to all recipients. */
export function OutcomeBar({ counts, isSmall = false }: { readonly counts: CampaignCounts; readonly isSmall?: boolean }) {
  const parts = GROUPS.filter((group) => counts[group] > 0);
  const text = parts.map((group) => `${counts[group]} ${group}`).join(', ') || 'nobody yet';
  return (
    <div className="bar" role="img" aria-label={text} title={text} style={isSmall ? { height: '0.7rem', marginTop: '0.4rem' } : undefined}>
      {parts.map((group) => (
        <span key={group} className={`fill-${group}`} style={{ flexGrow: counts[group], flexBasis: 0 }} />
      ))}
    </div>
  );
}

export function OutcomeLegend({ counts }: { readonly counts: CampaignCounts }) {
  return (
    <ul className="legend">
      {GROUPS.filter((group) => counts[group] > 0 || group === 'successful' || group === 'failed').map((group) => (
        <li key={group}>
          <span className={`swatch fill-${group}`} aria-hidden="true" />
          <span>{humanize(group)}</span>
          <strong className="numbers">{formatCount(counts[group])}</strong>
          <span className="soft small">{formatShare(counts[group], counts.total)}</span>
        </li>
      ))}
    </ul>
  );
}
