import type { CampaignReport } from '../../api/types.ts';
import { formatDuration, formatRate } from '../../lib/format.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Duration, Time } from '../../ui/time.tsx';

/** When each step was, and how long after the acceptance. */
export function TimingCard({
  report: { campaign, perSecond },
}: {
  readonly report: CampaignReport;
}) {
  const { timing } = campaign;
  const moments = [
    ['Created', timing.createdAt],
    ['Started', timing.startedAt],
    ['First sent', timing.firstSentAt],
    ['Last sent', timing.lastSentAt],
    ['Completed', timing.completedAt],
  ] as const;
  return (
    <Card title="Timing" description="Times are in your zone; point at one to see it exactly.">
      <ol className="moments">
        {moments.map(([name, at]) => (
          <li key={name} className={at === null ? 'upcoming' : undefined}>
            <span>{name}</span>
            <strong>
              <Time at={at} />
            </strong>
            <span className="soft small numbers">
              {at === null || name === 'Created' ? '' : `+${formatDuration(at - timing.createdAt)}`}
            </span>
          </li>
        ))}
      </ol>
      <Facts
        facts={[
          [
            'Throughput',
            perSecond === null ? '–' : (formatRate(perSecond, 1_000, 'messages') ?? '–'),
          ],
          ['Half were sent within', <Duration ms={timing.p50Ms} />],
          ['95 % were sent within', <Duration ms={timing.p95Ms} />],
          ['Took in all', <Duration ms={timing.durationMs} />],
        ]}
      />
    </Card>
  );
}
