import { stepOf } from './chart-points.ts';
import type { ChartProps } from './chart-props.ts';

/** A bucket of a chart, and where it is drawn. */
export type Point = {
  readonly index: number;
  readonly leftPx: number;
  /** In the second half: its card stands before it. */
  readonly isLate: boolean;
};

type Shown = Pick<ChartProps, 'series' | 'times' | 'unit'> & {
  readonly timeZone: string;
  /** The last bucket still runs. */
  readonly isOpen: boolean;
};

const DAY_MS = 82_800_000;
const exact = new Intl.NumberFormat();

/** The bucket from its beginning to its end: `2 Jun, 16:00 – 17:00`, or a day. */
function describeTime({ times, timeZone, isOpen }: Shown, index: number): string {
  const at = times[index] ?? 0;
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
  return isOpen && index === times.length - 1 ? `${span}, so far` : span;
}

const shownValue = (value: number | null | undefined): string =>
  value == null ? '–' : exact.format(value);

/** The numbers of a bucket in a sentence. */
export function describePoint(shown: Shown, index: number): string {
  const values = shown.series.map(({ name, values: all }) => `${name} ${shownValue(all[index])}`);
  return `${describeTime(shown, index)}: ${values.join(', ')}`;
}

/** The numbers of a bucket, beside it. */
export function ChartTip({ point, ...shown }: Shown & { readonly point: Point }) {
  const { index, leftPx, isLate } = point;
  return (
    <div
      className="chart-tip"
      style={isLate ? { right: `calc(100% - ${leftPx}px)` } : { left: leftPx }}
      aria-hidden="true"
    >
      <div>{describeTime(shown, index)}</div>
      {shown.series.map(({ name, values, isBad = false }) => (
        <div key={name} className="row">
          <span className={`swatch ${isBad ? 'fill-failed_attempts' : 'fill-waiting'}`} />
          <span>{name}</span>
          <strong className="numbers">{shownValue(values[index])}</strong>
        </div>
      ))}
    </div>
  );
}
