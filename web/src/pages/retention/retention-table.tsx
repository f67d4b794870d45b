import { useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import type { RetentionQuestion, RetentionResult } from '../../api/analytics.ts';
import { counted, formatCount, formatShare } from '../../lib/format.ts';
import { cohortName, cohortSentence, periodSentence } from './period-words.ts';
import { isOpen as isOpenCohort, wholeOf, type Cell } from './retention-question.ts';

type Shown = 'share' | 'people';

const oneDecimal = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** The five depths of the scale, by the highest share of the table, so that differences are seen. */
const DEPTHS = 5;
const depthOf = (share: number, most: number): number =>
  share === 0 || most === 0 ? 0 : Math.min(DEPTHS, Math.ceil((share / most) * DEPTHS));

type TableProps = {
  readonly question: RetentionQuestion;
  readonly result: RetentionResult;
  readonly shown: Shown;
  readonly open: Cell | null;
  readonly onOpen: (cell: Cell) => void;
};

/** Who came back: a row for each cohort, a cell for each period after it. */
export function RetentionTable(props: TableProps) {
  const { question, result, shown, onOpen } = props;
  const { box, move } = useCellKeys();
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const whole = wholeOf(question, result);
  const all = result.cohorts.reduce((sum, { users }) => sum + users, 0);
  const most = Math.max(
    0,
    ...result.cohorts.flatMap(({ users, returned }) =>
      users === 0 ? [] : returned.slice(1).map((number) => (number ?? 0) / users),
    ),
  );
  const periods = Array.from({ length: question.periods }, (_, period) => period);
  const cell = { question, shown, onOpen, most, setPointed, open: props.open };
  return (
    // Keys move between its cells, which are buttons.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="cohorts" ref={box} onKeyDown={move} onPointerLeave={() => setPointed(null)}>
      <div className="cohorts-box">
        <table style={{ '--cells': question.periods } as CSSProperties}>
          <caption className="hidden-visually">
            Of those who began in each {question.period}, who came back, by {question.period}s in{' '}
            {question.timeZone}
          </caption>
          <thead>
            <tr>
              <th scope="col">{HEADS[question.period]}</th>
              <th scope="col" className="end">
                People
              </th>
              {periods.map((period) => (
                <th key={period} scope="col">
                  {period === 0 ? `same ${question.period}` : period}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className="whole">
              <th scope="row">All</th>
              <td className="end numbers">{formatCount(all)}</td>
              {whole.map((each, period) => (
                // Periods are their places.
                // oxlint-disable-next-line react/no-array-index-key
                <td key={period}>
                  {each !== null && (
                    <span
                      className="cohort-cell"
                      data-depth={depthOf(each.returned / each.users, most)}
                      title={`${formatCount(each.returned)} of ${formatCount(each.users)} whose time is over`}
                    >
                      {shown === 'people'
                        ? formatCount(each.returned)
                        : oneDecimal.format((each.returned / each.users) * 100)}
                    </span>
                  )}
                </td>
              ))}
            </tr>
            {result.cohorts.map(({ at, users, returned, isPartial }) => (
              <tr key={at}>
                <th scope="row">
                  <bdi>{cohortName(question, at)}</bdi>
                  {isOpenCohort(result, at) && <span className="soft"> so far</span>}
                </th>
                <td className="end">
                  {users === 0 ? (
                    <span className="soft">0</span>
                  ) : (
                    <button
                      type="button"
                      className="number"
                      tabIndex={-1}
                      data-cell=""
                      aria-label={`${counted(users, 'person', 'people')}. ${cohortSentence(question, at)}`}
                      onClick={() => onOpen({ at, period: null })}
                      onFocus={() => setPointed(null)}
                    >
                      {formatCount(users)}
                    </button>
                  )}
                </td>
                {periods.map((period) => (
                  <td key={period}>
                    <CohortCell
                      {...cell}
                      {...{ at, period, users }}
                      count={returned[period] ?? null}
                      isOver={isPartial[period] !== true}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pointed !== null && <CellTip {...pointed} question={question} />}
    </div>
  );
}

const HEADS = { day: 'Day', week: 'Week of', month: 'Month' } as const;

type Pointed = {
  readonly at: number;
  readonly period: number;
  readonly users: number;
  readonly count: number;
  readonly isOver: boolean;
  readonly style: CSSProperties;
};

function CohortCell({
  question,
  shown,
  open,
  onOpen,
  most,
  setPointed,
  at,
  period,
  users,
  count,
  isOver,
}: Pick<TableProps, 'question' | 'shown' | 'open' | 'onOpen'> & {
  readonly most: number;
  readonly setPointed: (pointed: Pointed | null) => void;
  readonly at: number;
  readonly period: number;
  readonly users: number;
  readonly count: number | null;
  readonly isOver: boolean;
}) {
  if (count === null || users === 0) return null;
  const share = count / users;
  const point = (element: HTMLElement): void =>
    setPointed({ at, period, users, count, isOver, style: besideOf(element) });
  const isOpen = open?.at === at && open.period === period;
  return (
    <button
      type="button"
      className={isOver ? 'cohort-cell' : 'cohort-cell partial'}
      data-depth={isOver ? depthOf(share, most) : undefined}
      data-cell=""
      tabIndex={-1}
      aria-expanded={isOpen}
      aria-label={[
        // With the number as it is shown.
        `${oneDecimal.format(share * 100)} %, ${formatCount(count)} of ${formatCount(users)}`,
        periodSentence(question, at, period),
        cohortSentence(question, at),
        ...(isOver ? [] : ['not over yet']),
      ].join('. ')}
      onClick={() => onOpen({ at, period })}
      onFocus={(event) => point(event.currentTarget)}
      onBlur={() => setPointed(null)}
      onPointerEnter={(event) => point(event.currentTarget)}
    >
      {shown === 'people' ? formatCount(count) : oneDecimal.format(share * 100)}
    </button>
  );
}

/** Below a cell, inside of the table's box. */
function besideOf(element: HTMLElement): CSSProperties {
  const around = element.closest('.cohorts')?.getBoundingClientRect();
  const { left, right, bottom } = element.getBoundingClientRect();
  if (around === undefined) return {};
  const top = bottom - around.top + 4;
  return (left + right) / 2 - around.left > around.width / 2
    ? { top, right: Math.max(0, around.right - right) }
    : { top, left: Math.max(0, left - around.left) };
}

function CellTip({
  question,
  at,
  period,
  users,
  count,
  isOver,
  style,
}: Pointed & Pick<TableProps, 'question'>) {
  return (
    <div className="chart-tip cell-tip" style={style} aria-hidden="true">
      <div className="strong">{cohortSentence(question, at)}</div>
      <div className="soft">{periodSentence(question, at, period)}</div>
      <div>
        <strong>{formatCount(count)}</strong> of {formatCount(users)} came back,{' '}
        {formatShare(count, users)}
        {!isOver && <span className="soft"> so far</span>}
      </div>
      <div className="row chart-tip-foot soft">
        <span className="grow">Press to see the people</span>
        <kbd>↵</kbd>
      </div>
    </div>
  );
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
};

/** One stop of Tab for all cells; arrows move between them, Home and End in a row. */
function useCellKeys() {
  const box = useRef<HTMLDivElement>(null);
  const rows = (): HTMLElement[][] =>
    [...(box.current?.querySelectorAll('tbody tr') ?? [])]
      .map((row) => [...row.querySelectorAll<HTMLElement>('[data-cell]')])
      .filter((cells) => cells.length > 0);
  const setStop = (of: HTMLElement | undefined): void => {
    for (const each of rows().flat()) each.tabIndex = each === of ? 0 : -1;
  };
  const move = (event: KeyboardEvent): void => {
    const all = rows();
    const row = all.findIndex((cells) => cells.includes(document.activeElement as HTMLElement));
    const at = all[row]?.indexOf(document.activeElement as HTMLElement) ?? -1;
    const isEnd = event.key === 'Home' || event.key === 'End';
    const by = MOVES[event.key];
    if (row === -1 || (by === undefined && !isEnd)) return;
    event.preventDefault();
    const isMirrored = getComputedStyle(event.currentTarget).direction === 'rtl';
    const [down, right] = by ?? [0, 0];
    const cells = all[row + down] ?? all[row] ?? [];
    const column = isEnd
      ? event.key === 'Home'
        ? 0
        : cells.length - 1
      : Math.min(cells.length - 1, Math.max(0, at + (isMirrored ? -right : right)));
    const next = cells[column];
    setStop(next);
    next?.focus();
  };
  const ref = (element: HTMLDivElement | null): void => {
    box.current = element;
    if (element !== null) setStop(rows()[0]?.[1] ?? rows()[0]?.[0]);
  };
  return { box: ref, move };
}
