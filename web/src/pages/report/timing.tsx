import type { CampaignReport } from '../../api/types.ts';
import { formatDuration, formatRate } from '../../lib/format.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Duration, Time } from '../../ui/time.tsx';

/** When each step happened, and how long after the campaign was created. */
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
    <Card title="Timing" description="Times are in your time zone; hover for exact values.">
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
          ['50 % sent within', <Duration ms={timing.p50Ms} />],
          ['95 % sent within', <Duration ms={timing.p95Ms} />],
          ['Total duration', <Duration ms={timing.durationMs} />],
        ]}
      />
    </Card>
  );
}
