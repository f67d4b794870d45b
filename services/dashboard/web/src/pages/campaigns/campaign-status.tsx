import type { CampaignVerdict } from '@tidings/contracts';
import type { Campaign } from '../../api/types.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { Badge, StatusBadge, type Tone } from '../../ui/badge.tsx';

const VERDICTS: Readonly<Record<CampaignVerdict, { readonly tone: Tone; readonly label: string }>> = {
  no_one_reached: { tone: 'bad', label: 'Completed · no one reached' },
  all_failed: { tone: 'bad', label: 'Completed · all failed' },
  with_failures: { tone: 'warn', label: 'Completed · with failures' },
  with_unknown: { tone: 'warn', label: 'Completed · some unknown' },
  with_expired: { tone: 'warn', label: 'Completed · some expired' },
  waiting: { tone: 'info', label: 'Completed · waiting for devices' },
  successful: { tone: 'good', label: 'Completed' },
};

/** A completed campaign has the colour of its result; any other that of its status. */
export function CampaignStatus({ campaign: { status, result } }: { readonly campaign: Pick<Campaign, 'status' | 'result'> }) {
  if (result.verdict === null) return <StatusBadge status={status} />;
  const { tone, label } = VERDICTS[result.verdict];
  return <Badge tone={tone}>{label}</Badge>;
}

/** How many attempts were successful, and how many recipients no message was attempted for. */
export function SuccessRate({ campaign: { counts, result } }: { readonly campaign: Pick<Campaign, 'counts' | 'result'> }) {
  const { attempted, notReachable } = result;
  return (
    <>
      {formatCount(counts.successful)} <span className="soft">of {formatCount(attempted)}</span>
      <div className="soft small">{formatShare(counts.successful, attempted)}</div>
      {notReachable > 0 && <div className="soft small">{formatCount(notReachable)} not reachable</div>}
    </>
  );
}
