import { EXPLANATIONS } from '@tidings/contracts/errors/explanations/explanations';
import type { DryRunAnswer } from '@tidings/contracts/push/campaigns';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import { formatCount, humanize } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { CalledNumber } from '../../ui/called-number.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Table } from '../../ui/table.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { CheckWarnings } from './check-warnings.tsx';
import { LackedVariables } from './lacked-variables.tsx';

type Result = DryRunAnswer['results'][number];

/** Who can be reached, and why others can't; the most frequent reason first. */
export function AudienceCheck({ answer }: { readonly answer: DryRunAnswer }) {
  const { channel, reachable, recipients, results, unreachable, unrenderable, warnings } = answer;
  const reasons = Object.entries(unreachable).toSorted(([, a = 0], [, b = 0]) => b - a) as [
    DeliveryReason,
    number,
  ][];
  const rest = recipients.unique - results.length;
  return (
    <Card title="Audience check" description="Nothing was sent or stored." isFlush>
      <div className="inside" role="status">
        <Callout tone={reachable === recipients.unique ? 'good' : reachable === 0 ? 'bad' : 'warn'}>
          <strong>
            {formatCount(reachable)} of {formatCount(recipients.unique)} can be reached by{' '}
            {channelName(channel)}.
          </strong>
        </Callout>
        {reasons.length > 0 && (
          <ul className="stack tight">
            {reasons.map(([reason, count]) => (
              <li key={reason}>
                <strong>
                  {formatCount(count)} {humanize(reason).toLowerCase()}:
                </strong>{' '}
                {EXPLANATIONS.deliveryReason[reason].summary}{' '}
                <span className="soft">{EXPLANATIONS.deliveryReason[reason].remedy}</span>
              </li>
            ))}
          </ul>
        )}
        <LackedVariables unrenderable={unrenderable} />
        <CheckWarnings warnings={warnings} />
      </div>
      <Table<Result>
        label="Checked recipients"
        rows={results}
        rowKey={({ customUserId }) => customUserId}
        columns={[
          {
            name: 'Recipient',
            cell: ({ customUserId, reason }) =>
              reason === 'unknown_user' ? (
                <LongText text={customUserId} />
              ) : (
                <UserLink customUserId={customUserId} />
              ),
          },
          {
            name: 'Reached',
            width: '6rem',
            cell: ({ reachable: isReachable }) => (
              <Badge tone={isReachable ? 'good' : 'bad'}>{isReachable ? 'Yes' : 'No'}</Badge>
            ),
          },
          {
            name: channel === 'SMS' ? 'Number or reason' : 'Reason',
            hasOwnLine: channel === 'SMS',
            cell: ({ reason, ...called }) => (
              <CalledNumber {...called} reason={reason && humanize(reason)} />
            ),
          },
        ]}
      />
      {rest > 0 && <div className="table-foot">and {formatCount(rest)} more</div>}
    </Card>
  );
}
