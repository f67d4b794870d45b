import type { Channel } from '@tidings/contracts/channels/channels';
import { errorMessage } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import type { Campaign, ComparedTemplate, TemplateComparison } from '../../api/types.ts';
import { counted, formatCount, formatShare } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { outcomeLabels } from '../../ui/outcome-bar.tsx';
import { Loading } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { keyOf, TemplateName, TemplateWithSlug } from '../report/templates.tsx';
import { formatCertainty } from './format-certainty.ts';
import { WinnerState } from './winner-state.tsx';
import { measuresOf } from './winner.ts';

type Measure = keyof TemplateComparison['best'];
type Best = TemplateComparison['best'];
type Counts = ComparedTemplate['counts'];
const MEASURES = { opened: 'Opened', clicked: 'Clicked' } as const;
const NAMES = { opened: 'Opens', clicked: 'Clicks' } as const;

const countColumn = (
  name: string,
  count: (counts: Counts) => number,
  width: `${number}rem` = '7rem',
): Column<ComparedTemplate> => ({
  name,
  isNumber: true,
  isMinor: true,
  width,
  cell: ({ counts }) => (
    <>
      <strong>{formatCount(count(counts))}</strong>
      <div className="soft small">{formatShare(count(counts), counts.recipients)}</div>
    </>
  ),
});

/** A rate with its interval: two rates whose intervals lie apart differ. */
const rateColumn = (measure: Measure, isBetter: (row: ComparedTemplate) => boolean) => ({
  name: MEASURES[measure],
  isNumber: true,
  isMinor: true,
  width: '10rem' as const,
  cell: (row: ComparedTemplate) => {
    const rate = row.rates[measure];
    if (rate === null) return <span className="soft">–</span>;
    return (
      <>
        {isBetter(row) && <Badge tone="good">Better</Badge>}{' '}
        <strong>{formatShare(rate.rate, 1)}</strong>
        <div className="soft small">
          {formatCount(row.counts[measure])}, {formatRange(rate)}
        </div>
      </>
    );
  },
});

function listColumns(
  channel: Channel,
  { items, best }: TemplateComparison,
): readonly Column<ComparedTemplate>[] {
  const isBetter = (measure: Measure) => (row: ComparedTemplate) =>
    best[measure]?.isBetter === true && items[best[measure].index] === row;
  const shares = items.reduce((sum, { share }) => sum + share, 0);
  return [
    { name: 'Template', cell: (template) => <TemplateWithSlug named={template} /> },
    {
      name: 'Share',
      isNumber: true,
      width: '5rem',
      cell: ({ share }) => formatShare(share, shares),
    },
    {
      name: 'Recipients',
      isNumber: true,
      width: '7rem',
      cell: ({ counts }) => formatCount(counts.recipients),
    },
    countColumn(outcomeLabels(channel).successful, ({ successful }) => successful),
    ...measuresOf(channel).map((measure) => rateColumn(measure, isBetter(measure))),
    countColumn('Failed', ({ failed, notReachable }) => failed - notReachable),
    countColumn('Not reached', ({ notReachable }) => notReachable, '9rem'),
  ];
}

const formatRange = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  `${formatShare(low, 1).replace(' %', '')}–${formatShare(high, 1)}`;

/** What the rates say of the best one. */
function Verdict({
  measure,
  best,
  items,
}: {
  readonly measure: Measure;
  readonly best: Best[Measure];
  readonly items: TemplateComparison['items'];
}) {
  const first = best === null ? undefined : items[best.index];
  if (best === null || first === undefined) return null;
  const certainty = formatCertainty(best.certainty);
  return (
    <p>
      <strong>{NAMES[measure]}:</strong>{' '}
      {best.isBetter ? (
        <>
          <TemplateName named={first} /> is better than the others. Certainty {certainty}.
        </>
      ) : (
        <>no certain difference yet. Certainty {certainty}, needed 95 %.</>
      )}
    </p>
  );
}

/** What became of those who waited. */
function Rest({
  channel,
  rest: { counts, rates },
}: {
  readonly channel: Channel;
  readonly rest: NonNullable<TemplateComparison['rest']>;
}) {
  const parts = measuresOf(channel).map(
    (measure) => `${MEASURES[measure].toLowerCase()} ${formatShare(rates[measure]?.rate ?? 0, 1)}`,
  );
  return <>The rest: {[counted(counts.recipients, 'person', 'people'), ...parts].join(', ')}. </>;
}

/** The outcomes of the templates that split the recipients between them. */
export function ComparedTemplates({ campaign }: { readonly campaign: Campaign }) {
  const { campaignId, channel, winner } = campaign;
  // The answer reads every delivery.
  const { data, error, isFetching, refetch } = useRead<TemplateComparison>(
    `campaigns/${campaignId}/templates`,
    { staleMs: Infinity },
  );
  return (
    <Card
      title="Compare templates"
      description="Each recipient is assigned one of them. Opens and clicks are shares of the delivered, each with the 95 % range of its true rate."
      actions={
        <Button isBusy={isFetching} onClick={() => void refetch()}>
          Count again
        </Button>
      }
      isFlush
    >
      {winner !== null && (
        <div className="inside">
          <WinnerState campaign={campaign} winner={winner} />
        </div>
      )}
      {error !== null && (
        <div className="inside" role="alert">
          <Callout tone="bad">{errorMessage(error)}</Callout>
        </div>
      )}
      {data === undefined && error === null && <Loading lines={3} />}
      {data !== undefined && (
        <>
          <div className="inside stack tight" role="status">
            {measuresOf(channel).map((measure) => (
              <Verdict
                key={measure}
                measure={measure}
                best={data.best[measure]}
                items={data.items}
              />
            ))}
          </div>
          <Table<ComparedTemplate>
            label="Outcomes by template"
            columns={listColumns(channel, data)}
            rows={data.items}
            rowKey={keyOf}
          />
          <div className="table-foot">
            <span>
              {data.rest !== null && <Rest channel={channel} rest={data.rest} />}
              Counted <Time at={data.asOf} />
            </span>
          </div>
        </>
      )}
    </Card>
  );
}
