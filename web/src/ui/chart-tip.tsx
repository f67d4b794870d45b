import { Fragment } from 'react';
import { stepOf } from './chart-points.ts';
import type { ChartProps, Series } from './chart-props.ts';

/** A bucket of a chart, and where it is drawn. */
export type Point = {
  readonly index: number;
  readonly leftPx: number;
  /** In the second half: its card stands before it. */
  readonly isLate: boolean;
  /** The series that is meant, among several: the nearest one. */
  readonly nearest: number;
};

type Shown = Pick<ChartProps, 'series' | 'times' | 'unit' | 'step' | 'beforeName' | 'onOpen'> & {
  readonly timeZone: string;
  /** The last bucket still runs. */
  readonly isOpen: boolean;
};

const DAY_MS = 82_800_000;
const exact = new Intl.NumberFormat();

/** The bucket from its beginning to its end: `2 Jun, 16:00 – 17:00`, or a day. */
function describeTime({ times, timeZone, isOpen, step }: Shown, index: number): string {
  const at = times[index] ?? 0;
  const so = isOpen && index === times.length - 1 ? ', so far' : '';
  if (step === 'month')
    return `${new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone }).format(at)}${so}`;
  if (step === 'week')
    return `Week of ${new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', timeZone }).format(at)}${so}`;
  const stepMs = stepOf(times);
  const day = new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone,
  });
  const clock = new Intl.DateTimeFormat(undefined, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
  });
  const span =
    stepMs >= DAY_MS
      ? day.format(at)
      : `${day.format(at)}, ${clock.format(at)} – ${clock.format(times[index + 1] ?? at + stepMs)}`;
  return `${span}${so}`;
}

const shownValue = (
  value: number | null | undefined,
  write: (value: number) => string = (number) => exact.format(number),
): string => (value == null ? '–' : write(value));

/** The class of the mark of a series. */
export const markOf = ({ isBad = false, tone }: Pick<Series, 'isBad' | 'tone'>): string =>
  `swatch ${tone === undefined ? (isBad ? 'fill-failed_attempts' : 'fill-waiting') : `fill-c${tone}`}`;

/** The numbers of a bucket in a sentence. */
export function describePoint(shown: Shown, index: number): string {
  const values = shown.series.map(
    ({ name, values: all, write }) => `${name} ${shownValue(all[index], write)}`,
  );
  return `${describeTime(shown, index)}: ${values.join(', ')}`;
}

/** The numbers of a bucket, beside it. */
export function ChartTip({ point, ...shown }: Shown & { readonly point: Point }) {
  const { index, leftPx, isLate, nearest } = point;
  const { series, beforeName, onOpen } = shown;
  return (
    <div
      className="chart-tip"
      style={isLate ? { right: `calc(100% - ${leftPx}px)` } : { left: leftPx }}
      aria-hidden="true"
    >
      <div>{describeTime(shown, index)}</div>
      {series.map((each, at) => (
        <Fragment key={each.name}>
          <div
            className={
              onOpen !== undefined && series.length > 1 && at === nearest ? 'row meant' : 'row'
            }
          >
            <span className={markOf(each)} />
            <bdi>{each.name}</bdi>
            <strong className="numbers">{shownValue(each.values[index], each.write)}</strong>
          </div>
          {each.before !== undefined && (
            <div className="row soft">
              <span className="swatch" />
              <span>{beforeName}</span>
              <span className="numbers end">{shownValue(each.before[index], each.write)}</span>
            </div>
          )}
        </Fragment>
      ))}
      {onOpen !== undefined && (
        <div className="row chart-tip-foot soft">
          <span className="grow">Press to see the people</span>
          <kbd>↵</kbd>
        </div>
      )}
    </div>
  );
}
