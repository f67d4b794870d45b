import type { DryRunAnswer } from '@tidings/contracts';
import { formatCount, humanize } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { Table } from '../../ui/table.tsx';
import { deliveryAdvice } from '../../words/advice.ts';

type Result = DryRunAnswer['results'][number];

/** Who would be reached, and why others would not. */
export function DryRunResult({ answer }: { readonly answer: DryRunAnswer }) {
  const { unique } = answer.recipients;
  const rest = unique - answer.results.length;
  return (
    <Card title="Dry run" description="Nothing was sent, nothing was stored." isFlush>
      <div className="inside" role="status">
        <Callout tone={answer.reachable === unique ? 'good' : answer.reachable === 0 ? 'bad' : 'warn'}>
          <strong>
            {formatCount(answer.reachable)} of {formatCount(unique)} will be reached.
          </strong>
        </Callout>
        {answer.warnings?.map(({ code, pointer, detail }) => (
          <p key={`${code} ${pointer}`} className="small">
            <code>{pointer}</code> {detail}
          </p>
        ))}
      </div>
      <Table<Result>
        label="Recipients of the dry run"
        rows={answer.results}
        rowKey={({ customUserId }) => customUserId}
        columns={[
          { name: 'Recipient', cell: ({ customUserId }) => <span className="wrap">{customUserId}</span> },
          { name: 'Reached', width: '6rem', cell: ({ reachable }) => <Badge tone={reachable ? 'good' : 'bad'}>{reachable ? 'Yes' : 'No'}</Badge> },
          {
            name: 'Why not',
            cell: ({ reason }) =>
              reason === undefined ? (
                '–'
              ) : (
                <>
                  <strong>{humanize(reason)}</strong> <span className="soft">{deliveryAdvice(reason).what}</span>
                </>
              ),
          },
        ]}
      />
      {rest > 0 && <div className="table-foot">and {formatCount(rest)} more</div>}
    </Card>
  );
}
