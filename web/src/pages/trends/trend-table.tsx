import type { TrendPoints, TrendQuestion, TrendResult } from '../../api/analytics.ts';
import type { Names } from '../../conditions/describe-condition.ts';
import type { Tone } from '../../ui/chart-props.ts';
import { Change } from '../../ui/change.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { writerOf } from './measures.ts';
import { toneOf } from './tones.ts';
import {
  breakdownName,
  groupName,
  measureName,
  seriesName,
  type TrendPlace,
} from './trend-question.ts';

type Row = {
  readonly key: string;
  readonly name: string;
  readonly tone: Tone | null;
  readonly isAll: boolean;
  /** Its numbers by series; null where a series does not have the group. */
  readonly cells: readonly (Cell | null)[];
};
type Cell = {
  readonly now: TrendPoints;
  readonly before: TrendPoints | undefined;
  /** Whom it counts. */
  readonly place: TrendPlace;
};

type TableProps = {
  readonly question: TrendQuestion;
  readonly result: TrendResult;
  readonly before: TrendResult | undefined;
  readonly names: Names;
  readonly onOpen: (place: TrendPlace) => void;
};

/** The totals of the range: of each series, or of each group. */
export function TrendTable(props: TableProps) {
  const { question, names, onOpen, before } = props;
  const { breakdown, series } = question;
  const rows = breakdown === undefined ? seriesRows(props) : groupRows(props);
  const heads = breakdown === undefined ? ['Total'] : series.map((each) => seriesName(each, names));
  return (
    <div className="card totals">
      <Table<Row>
        label="Totals"
        rows={rows}
        rowKey={({ key }) => key}
        columns={[
          {
            name: breakdown === undefined ? 'Series' : breakdownName(breakdown),
            cell: ({ name, tone, isAll }) => (
              <span className={isAll ? 'with-icon strong' : 'with-icon'}>
                {tone !== null && <span className={`swatch fill-c${tone}`} />}
                <LongText text={name} />
              </span>
            ),
          },
          {
            name: 'Over time',
            width: '11rem',
            isMinor: 'last',
            cell: ({ cells, tone }) => (
              <Sparkline
                values={cells.find((cell) => cell !== null)?.now.points ?? []}
                tone={tone}
              />
            ),
          },
          ...heads.flatMap((head, index): Column<Row>[] => [
            {
              name: head,
              isNumber: true,
              width: '9rem',
              cell: (row) => (
                <Number
                  cell={row.cells[index] ?? null}
                  write={writerOf(question, breakdown === undefined ? rows.indexOf(row) : index)}
                  onOpen={onOpen}
                />
              ),
            },
            ...(before === undefined
              ? []
              : [
                  {
                    name: heads.length === 1 ? 'Change' : `Change of ${head}`,
                    isNumber: true,
                    isMinor: true,
                    width: '9rem',
                    cell: ({ cells }: Row) => (
                      <Change now={cells[index]?.now.total} before={cells[index]?.before?.total} />
                    ),
                  } as const,
                ]),
          ]),
        ]}
      />
    </div>
  );
}

function Number({
  cell,
  write,
  onOpen,
}: {
  readonly cell: Cell | null;
  readonly write: (value: number) => string;
  readonly onOpen: (place: TrendPlace) => void;
}) {
  if (cell === null) return <span className="soft">–</span>;
  const { now, place } = cell;
  if (now.total === 0) return write(now.total);
  return (
    <button type="button" className="number" onClick={() => onOpen(place)}>
      {write(now.total)}
    </button>
  );
}

const seriesRows = ({ question, result, before, names }: TableProps): readonly Row[] =>
  question.series.map((each, index) => {
    const now = result.series[index];
    return {
      key: String(index),
      name: seriesName(each, names),
      tone: toneOf(index),
      isAll: false,
      cells: [
        now === undefined ? null : { now, before: before?.series[index], place: { series: index } },
      ],
    };
  });

/** All, each group by its size in the first series, and what is left. */
function groupRows({ question, result, before }: TableProps): readonly Row[] {
  const { series } = result;
  const keys = new Map(
    series.flatMap(({ groups = [] }) => groups.map(({ value }) => [JSON.stringify(value), value])),
  );
  const isOnly = question.series.length === 1;
  const others = Math.max(0, ...series.map(({ othersGroups = 0 }) => othersGroups));
  return [
    {
      key: 'all',
      name: 'All',
      tone: null,
      isAll: true,
      cells: series.map((now, index) => ({
        now,
        before: before?.series[index],
        place: { series: index },
      })),
    },
    ...[...keys].map(([key, value], at): Row => {
      const find = (from: TrendResult | undefined, index: number) =>
        from?.series[index]?.groups?.find((group) => JSON.stringify(group.value) === key);
      return {
        key,
        name: groupName(value),
        tone: isOnly ? toneOf(at) : null,
        isAll: false,
        cells: series.map((_, index) => {
          const now = find(result, index);
          return now === undefined
            ? null
            : { now, before: find(before, index), place: { series: index, group: value } };
        }),
      };
    }),
    ...(others === 0
      ? []
      : [
          {
            key: 'others',
            name: `${others} others`,
            tone: null,
            isAll: false,
            cells: series.map(({ others: now }, index): Cell | null =>
              now == null
                ? null
                : {
                    now,
                    before: before?.series[index]?.others ?? undefined,
                    place: { series: index, others: true },
                  },
            ),
          },
        ]),
  ];
}

/** Every point as a row: what the chart draws, as numbers. */
export function PointTable({ question, result, names, onOpen }: TableProps) {
  const [first] = result.series;
  const { step, timeZone } = question;
  const at = new Intl.DateTimeFormat(undefined, {
    ...(step === 'month'
      ? { month: 'long', year: 'numeric' }
      : { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    ...(step === 'hour' && { hour: 'numeric', minute: '2-digit' }),
    timeZone,
  });
  return (
    <div className="card totals">
      <Table<TrendPoints['points'][number] & { readonly index: number }>
        label="Points"
        rows={(first?.points ?? []).map((point, index) => ({ ...point, index })).toReversed()}
        rowKey={({ at: start }) => String(start)}
        columns={[
          {
            name: step.charAt(0).toUpperCase() + step.slice(1),
            cell: ({ at: start }) => (
              <>
                {at.format(start)}
                {result.partialFrom !== null && start >= result.partialFrom && (
                  <span className="soft"> so far</span>
                )}
              </>
            ),
          },
          ...question.series.map((each, series): Column<{ at: number; index: number }> => {
            const write = writerOf(question, series);
            return {
              name:
                question.series.length === 1 ? measureName(each.measure) : seriesName(each, names),
              isNumber: true,
              width: '11rem',
              cell: ({ at: start, index }) => {
                const value = result.series[series]?.points[index]?.value ?? 0;
                return value === 0 ? (
                  <span className="soft">{write(value)}</span>
                ) : (
                  <button
                    type="button"
                    className="number"
                    onClick={() => onOpen({ series, at: start })}
                  >
                    {write(value)}
                  </button>
                );
              },
            };
          }),
        ]}
      />
    </div>
  );
}
