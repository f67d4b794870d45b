import { Link } from '@tanstack/react-router';
import type { Campaign, CampaignReport } from '../../api/types.ts';
import { counted, formatCount, formatShare, humanize } from '../../lib/format.ts';
import { Callout, Card } from '../../ui/card.tsx';
import { OutcomeBar, OutcomeLegend } from '../../ui/outcome-bar.tsx';
import { Empty } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { explain, shownRemedy } from '../../labels/explain.ts';
import { channelName } from '../../labels/channel-name.ts';
import { AccountsCard } from './accounts-card.tsx';
import { Figures } from './figures.tsx';
import { ComparedTemplates } from '../split-tests/compared-templates.tsx';
import { useNow } from '../../lib/now.ts';
import { Time } from '../../ui/time.tsx';
import { waitsForZones } from '../campaigns/own-zone.ts';
import { ScheduleTime } from '../campaigns/schedule-time.tsx';
import { OriginCard } from './origin.tsx';
import { TimingCard } from './timing.tsx';

/** How far the campaign got, the outcomes, the failures and the timing at a glance. */
export function Summary({ report }: { readonly report: CampaignReport }) {
  const { campaign } = report;
  const { channel, counts, result } = campaign;
  const outcomes = { channel, counts, notReachable: result.notReachable };
  return (
    <>
      <Figures campaign={campaign} />
      <Card title="Outcomes" description="Everyone asked, by what became of the message.">
        <OutcomeBar {...outcomes} />
        <OutcomeLegend {...outcomes} />
        <Hint campaign={campaign} />
      </Card>
      {(campaign.templates?.length ?? 0) > 1 && campaign.recipientsDeletedAt === null && (
        <ComparedTemplates campaign={campaign} />
      )}
      {report.accounts.length > 0 && <AccountsCard report={report} />}
      <FailuresCard report={report} />
      <div className="columns">
        <TimingCard report={report} />
        <OriginCard campaign={campaign} />
      </div>
    </>
  );
}

/** Explains numbers that need an action or a caveat. */
function Hint({ campaign }: { readonly campaign: Campaign }) {
  const { status, schedule, failureReason, audience, counts, channel, failures } = campaign;
  const lastZone = waitsForZones(campaign, useNow());
  if (failures['channel_not_configured'] !== undefined) {
    const { summary, remedy } = explain('deliveryReason', 'channel_not_configured');
    return (
      <Callout tone="bad">
        <p>
          <strong>{channelName(channel)} is not ready.</strong> {summary} {remedy}{' '}
          <Link to="/channels/$channel" params={{ channel }}>
            Open channel
          </Link>
        </p>
      </Callout>
    );
  }
  if (failureReason !== null) {
    const { summary, remedy } = explain('campaignFailure', failureReason);
    return (
      <Callout tone="bad">
        <p>
          <strong>{summary}</strong> {remedy}
        </p>
      </Callout>
    );
  }
  if (
    status === 'queued' &&
    audience?.warnings.some(({ code }) => code === 'slow_segment') === true
  )
    return (
      <Callout tone="warn">
        <p>
          <strong>Its users take long to read.</strong> The campaign waits for a longer try, which
          other slow campaigns may be ahead of. {explain('warning', 'slow_segment').remedy}
        </p>
      </Callout>
    );
  if (status === 'paused')
    return (
      <Callout tone="warn">
        {counts.pending === 0
          ? 'Paused. All recipients have an outcome: resume the campaign to complete it.'
          : `Paused. ${counted(counts.pending, 'message is', 'messages are')} waiting and may expire before the campaign is resumed.`}
      </Callout>
    );
  if (lastZone !== null && schedule !== null)
    return (
      <Callout>
        <p>
          {counted(counts.pending, 'message waits', 'messages wait')} for{' '}
          <ScheduleTime schedule={schedule} />: the last zone has it at{' '}
          <Time at={lastZone} form="clock" />.
        </p>
      </Callout>
    );
  if (counts.unknown > 0)
    return (
      <Callout tone="warn">
        {counted(counts.unknown, 'message has', 'messages have')} an unknown outcome: no response
        arrived from the provider. They count neither as successful nor as failed.
      </Callout>
    );
  if (counts.waiting > 0)
    return (
      <Callout>
        {counted(counts.waiting, 'message is', 'messages are')} waiting until a device of the user
        fetches it.
      </Callout>
    );
  return null;
}

function NoFailures({ campaign: { status, counts, timing } }: { readonly campaign: Campaign }) {
  if (counts.failed > 0) return <Empty title="No reasons recorded" icon="campaigns" />;
  // Without a start there is nothing that could have failed.
  if (timing.startedAt === null)
    return (
      <Empty
        title={
          status === 'canceled' || status === 'failed' ? 'Nothing was sent' : 'Nothing was sent yet'
        }
        icon="campaigns"
      />
    );
  return (
    <Empty title="No failures" icon="campaigns">
      {counts.pending > 0 ? 'Some messages are still pending.' : undefined}
    </Empty>
  );
}

function FailuresCard({ report }: { readonly report: CampaignReport }) {
  const { campaign, failures, bounces } = report;
  return (
    <Card title="Why some weren’t reached" description="Reasons and remedies" isFlush>
      {failures.length === 0 ? (
        <NoFailures campaign={campaign} />
      ) : (
        <Table<CampaignReport['failures'][number]>
          label="Failures by reason"
          rows={failures}
          rowKey={({ reason }) => reason}
          columns={[
            {
              name: 'Reason',
              cell: ({ reason, summary, remedy }) => (
                <>
                  <Link to="." search={{ tab: 'recipients', reason } as never} className="strong">
                    {humanize(reason)}
                  </Link>
                  <div>{summary}</div>
                  <div className="soft">{shownRemedy({ remedy })}</div>
                </>
              ),
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
      {bounces.length > 0 && (
        <div className="inside">
          <h3>What the mail servers meant</h3>
          {bounces.map((bounce) => (
            <p key={bounce.class}>
              <strong>{`${humanize(bounce.class)}: ${formatCount(bounce.count)}.`}</strong>{' '}
              {bounce.summary} <span className="soft">{shownRemedy(bounce)}</span>
            </p>
          ))}
        </div>
      )}
    </Card>
  );
}
