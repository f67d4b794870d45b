import { Link } from '@tanstack/react-router';
import type { Campaign } from '../../api/types.ts';
import { formatCount, formatRate, formatShare, humanize } from '../../lib/format.ts';
import { Callout, Card, Facts } from '../../ui/card.tsx';
import { OutcomeBar, OutcomeLegend } from '../../ui/outcome-bar.tsx';
import { Empty } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Duration, Time } from '../../ui/time.tsx';
import { deliveryAdvice } from '../../words/advice.ts';
import { channelName } from '../../words/names.ts';
import { funnelOf } from './funnel.ts';

/** The answer at one look: what came of all, how far, why not, when. */
export function Summary({ campaign }: { readonly campaign: Campaign }) {
  return (
    <>
      <Card title="Outcomes" description="Successful means accepted by the provider; what happened later refines it.">
        <OutcomeBar counts={campaign.counts} />
        <OutcomeLegend counts={campaign.counts} />
        <Hint campaign={campaign} />
      </Card>
      <div className="columns">
        <FailuresCard campaign={campaign} />
        <FunnelCard campaign={campaign} />
      </div>
      <div className="columns">
        <TimingCard campaign={campaign} />
        <Card title="Origin">
          <Facts
            facts={[
              ['Source', humanize(campaign.source)],
              ['By', <code className="wrap">{campaign.createdBy}</code>],
              ['Purpose', humanize(campaign.purpose)],
              ['Channel', channelName(campaign.channel)],
              ['Request', <code className="wrap">{campaign.requestId}</code>],
              ['Unsubscribed', formatCount(campaign.counts.unsubscribed)],
              ['Complained', formatCount(campaign.counts.complained)],
            ]}
          />
        </Card>
      </div>
    </>
  );
}

/** What the numbers alone do not say. */
function Hint({ campaign: { status, counts, channel, failures } }: { readonly campaign: Campaign }) {
  if (failures.channel_not_configured !== undefined) {
    return (
      <Callout tone="bad">
        <p>
          <strong>{channelName(channel)} is not ready.</strong> Its settings are missing or its test send has not succeeded yet. <Link to="/channels/$channel" params={{ channel }}>Open the channel</Link>, make a test send, then
          retry the failed.
        </p>
      </Callout>
    );
  }
  if (status === 'paused') return <Callout tone="warn">Paused: {formatCount(counts.pending)} recipients wait, and may expire meanwhile.</Callout>;
  if (counts.unknown > 0) return <Callout tone="warn">Of {formatCount(counts.unknown)} nobody knows whether the message arrived: it left, and the answer was lost. They are counted by themselves, as neither.</Callout>;
  if (counts.waiting > 0) return <Callout>{formatCount(counts.waiting)} wait until a device of the user fetches the message.</Callout>;
  return null;
}

function FunnelCard({ campaign }: { readonly campaign: Campaign }) {
  const steps = funnelOf(campaign);
  const top = Math.max(...steps.map(({ count }) => count), 1);
  return (
    <Card title="Funnel">
      <ol className="funnel">
        {steps.map(({ name, count }) => (
          <li key={name}>
            <span>{humanize(name)}</span>
            <span className="track" aria-hidden="true">
              <span style={{ width: `${(count / top) * 100}%` }} />
            </span>
            <span className="numbers end">
              <strong>{formatCount(count)}</strong> <span className="soft small">{formatShare(count, campaign.recipients.unique)}</span>
            </span>
          </li>
        ))}
      </ol>
      <p className="soft small">Shares are of the unique recipients. Not every channel tells of every step.</p>
    </Card>
  );
}

type FailureRow = { readonly reason: string; readonly count: number };

function FailuresCard({ campaign }: { readonly campaign: Campaign }) {
  const rows: readonly FailureRow[] = Object.entries(campaign.failures)
    .map(([reason, count]) => ({ reason, count: count ?? 0 }))
    .toSorted((a, b) => b.count - a.count);
  return (
    <Card title="Why not" description="Each reason with what to do about it." isFlush>
      {rows.length === 0 ? (
        <Empty title={campaign.counts.failed === 0 ? 'Nothing failed' : 'No reasons are known'} icon="campaigns">
          {campaign.counts.pending > 0 ? 'Some are still on their way.' : undefined}
        </Empty>
      ) : (
        <Table<FailureRow>
          label="Failures by reason"
          rows={rows}
          rowKey={({ reason }) => reason}
          columns={[
            {
              name: 'Reason',
              cell: ({ reason }) => {
                const { what, todo } = deliveryAdvice(reason);
                return (
                  <>
                    <Link to="." search={{ tab: 'recipients', reason } as never} className="strong">
                      {humanize(reason)}
                    </Link>
                    <div>{what}</div>
                    {todo !== undefined && <div className="soft">{todo}</div>}
                  </>
                );
              },
            },
            {
              name: 'Recipients',
              isNumber: true,
              width: '7rem',
              cell: ({ count }) => (
                <>
                  <strong>{formatCount(count)}</strong>
                  <div className="soft small">{formatShare(count, campaign.counts.total)}</div>
                </>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}

function TimingCard({ campaign: { timing, counts } }: { readonly campaign: Campaign }) {
  const sendingMs = timing.firstSentAt === null || timing.lastSentAt === null ? 0 : timing.lastSentAt - timing.firstSentAt;
  return (
    <Card title="Timing" description="Times are in your zone; point at one to see it exactly.">
      <Facts
        facts={[
          ['Created', <Time at={timing.createdAt} />],
          ['Started', <Time at={timing.startedAt} />],
          ['First sent', <Time at={timing.firstSentAt} />],
          ['Last sent', <Time at={timing.lastSentAt} />],
          ['Completed', <Time at={timing.completedAt} />],
          ['Took in all', <Duration ms={timing.durationMs} />],
          ['Throughput', formatRate(counts.sent, sendingMs, 'messages') ?? '–'],
          ['Half were sent within', <Duration ms={timing.p50Ms} />],
          ['95 % were sent within', <Duration ms={timing.p95Ms} />],
        ]}
      />
    </Card>
  );
}
