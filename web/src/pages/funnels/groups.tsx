import { useMemo } from 'react';
import type { FunnelResult } from '../../api/types.ts';
import type { Names } from '../../conditions/describe-condition.ts';
import { counted, formatCount, formatShare } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Card } from '../../ui/card.tsx';
import { PointsChange } from '../../ui/change.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import type { FunnelPlace, FunnelQuestion } from './draft.ts';
import type { FunnelBefore } from './use-funnel-answer.ts';
import { breakdownName, groupName, stepName } from './words.ts';

type Row = {
  readonly key: string;
  readonly name: string;
  readonly steps: FunnelResult['steps'];
  /** Of the time before. */
  readonly earlier: FunnelResult['steps'] | undefined;
  /** Absent: several values together. */
  readonly group?: unknown;
};

/** The head of a column is one line. */
const HEAD_CHARS_MAX = 18;
const headed = (number: number, name: string): string =>
  `${number}. ${isolate(name.length > HEAD_CHARS_MAX ? `${name.slice(0, HEAD_CHARS_MAX - 1)}…` : name)}`;

/** With more, only the first and the last step have a column. */
const STEPS_SHOWN_MAX = 5;

/** The funnel of each value of a breakdown. */
export function FunnelGroups({
  question,
  result,
  before,
  names,
  onOpen,
}: {
  readonly question: FunnelQuestion;
  readonly result: FunnelResult;
  readonly before: FunnelBefore | null;
  readonly names: Names;
  readonly onOpen: (place: FunnelPlace) => void;
}) {
  const { breakdown } = question;
  const rows = useMemo(
    () => (breakdown === undefined ? [] : toRows(result, question, before?.result)),
    [breakdown, question, result, before],
  );
  if (breakdown === undefined || rows.length === 0) return null;
  const { length } = question.steps;
  const most = Math.max(...rows.map(({ steps }) => convertedShare(steps)));
  const stepColumn = (at: number, name: string): Column<Row> => ({
    name,
    isNumber: true,
    isMinor: at > 0 && at < length - 1,
    cell: (row) => (
      <>
        <Count
          value={row.steps[at]?.users ?? 0}
          label={`of ${isolate(row.name)}`}
          onOpen={
            'group' in row
              ? () => onOpen({ state: 'reached', step: at + 1, group: row.group })
              : null
          }
        />
        {at === length - 1 && (
          <div className="narrow-only soft small">{convertedText(row.steps)}</div>
        )}
      </>
    ),
  });
  const between = length > STEPS_SHOWN_MAX ? [] : question.steps.slice(1, -1);
  const end = question.steps.at(-1);
  const columns: readonly Column<Row>[] = [
    {
      name: breakdownName(breakdown),
      cell: ({ name, ...row }) => (
        <span className={'group' in row && row.group !== null ? 'strong' : 'soft'}>
          <bdi>{name}</bdi>
        </span>
      ),
    },
    stepColumn(0, 'Started'),
    ...between.map((step, index) =>
      stepColumn(index + 1, headed(index + 2, stepName(step, names))),
    ),
    stepColumn(length - 1, headed(length, end === undefined ? '' : stepName(end, names))),
    {
      name: 'Share of started',
      isNumber: true,
      width: '16rem',
      isMinor: 'last',
      cell: ({ steps }) => (
        <span className="part-count">
          <meter min={0} max={most || 1} value={convertedShare(steps)} aria-hidden="true" />
          <strong className="funnel-percent">{convertedText(steps)}</strong>
        </span>
      ),
    },
  ];
  const compared: Column<Row> = {
    name: before?.name ?? '',
    isNumber: true,
    isMinor: 'last',
    cell: ({ steps, earlier }) =>
      (earlier?.[0]?.users ?? 0) === 0 ? (
        <span className="soft">–</span>
      ) : (
        <PointsChange now={convertedShare(steps)} before={convertedShare(earlier ?? [])} />
      ),
  };
  return (
    <Card isFlush>
      <Table
        label="Groups"
        columns={before === null ? columns : [...columns, compared]}
        rows={rows}
        rowKey={({ key }) => key}
        isLined
        onOpen={(row) => {
          if ('group' in row) onOpen({ state: 'reached', step: 1, group: row.group });
        }}
      />
    </Card>
  );
}

const convertedText = (steps: FunnelResult['steps']): string =>
  formatShare(steps.at(-1)?.users ?? 0, steps[0]?.users ?? 0);

const convertedShare = (steps: FunnelResult['steps']): number => steps.at(-1)?.fromStart ?? 0;

function toRows(
  { groups = [], others, othersGroups = 0 }: FunnelResult,
  of: FunnelQuestion,
  before: FunnelResult | undefined,
): Row[] {
  const { breakdown } = of;
  if (breakdown === undefined) return [];
  const earlier = new Map(
    (before?.groups ?? []).map(({ value, steps }) => [JSON.stringify(value), steps]),
  );
  return [
    ...groups
      .filter(({ value, steps }) => value !== null || (steps[0]?.users ?? 0) > 0)
      .map(({ value, steps }) => ({
        key: JSON.stringify(value),
        name: groupName(value, breakdown),
        steps,
        earlier: earlier.get(JSON.stringify(value)),
        group: value,
      })),
    ...(others == null
      ? []
      : [
          {
            key: 'others',
            name: counted(othersGroups, 'other', 'others'),
            steps: others,
            // Those may be others.
            earlier: undefined,
          },
        ]),
  ];
}

function Count({
  value,
  label,
  onOpen,
}: {
  readonly value: number;
  readonly label: string;
  readonly onOpen: (() => void) | null;
}) {
  if (onOpen === null) return formatCount(value);
  return (
    <button type="button" className="number" onClick={onOpen}>
      {formatCount(value)}
      <span className="hidden-visually"> {label}</span>
    </button>
  );
}
