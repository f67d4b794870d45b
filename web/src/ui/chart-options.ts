import type uPlot from 'uplot';
import type { ChartProps, Tone } from './chart-props.ts';

export const CHART_HEIGHT_PX = 200;
const COLORS = { good: '--accent', bad: '--bad-fill' } as const;
/** That of the page. */
const fontOf = (): string => `12px ${getComputedStyle(document.body).fontFamily}`;
/** Between two labels of the time axis. */
const LABEL_GAP_PX = 20;

/** The axis has little room. The tooltip and the table show exact numbers. */
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** A day has 23 hours when daylight saving time begins. */
const DAY_SECONDS_MIN = 82_800;

/** Every n-th point, so that labels have this room. */
const splitsAtPoints =
  (spacePx: number): uPlot.Axis.Splits =>
  (plot) => {
    const [times] = plot.data;
    const fitting = Math.max(1, Math.floor(plot.bbox.width / devicePixelRatio / spacePx));
    const every = Math.max(1, Math.ceil(times.length / fitting));
    return [...times].filter((_, index) => index % every === 0);
  };

/** Labels of the time axis: the time of day, and at midnight the new day; months by their names. */
function axisLabels(
  timeZone: string,
  step: ChartProps['step'],
): (splits: readonly number[]) => string[] {
  if (step === 'month') {
    const month = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone });
    const year = new Intl.DateTimeFormat(undefined, { year: 'numeric', timeZone });
    return (splits) =>
      splits.map((at, index) => {
        const isNew =
          index > 0 && year.format(at * 1_000) !== year.format((splits[index - 1] ?? at) * 1_000);
        return (isNew ? year : month).format(at * 1_000);
      });
  }
  const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone });
  const time = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit', timeZone });
  /** The same in every locale: `00:00` at midnight. */
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone });
  return (splits) => {
    const areDays = (splits[1] ?? 0) - (splits[0] ?? 0) >= DAY_SECONDS_MIN;
    return splits.map((at) => {
      const isDay = areDays || clock.format(at * 1_000) === '00:00';
      return (isDay ? day : time).format(at * 1_000);
    });
  };
}

/** The widest label of a day and of a time: their lengths differ by language. */
function labelWidthPx(labels: ReturnType<typeof axisLabels>): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 0;
  context.font = fontOf();
  const date = Date.UTC(2026, 11, 28) / 1_000;
  const hours = Array.from({ length: 24 }, (_, hour) => date + hour * 3_600);
  const samples = [...labels(hours), ...labels([date, date + 86_400])];
  return Math.ceil(Math.max(...samples.map((label) => context.measureText(label).width)));
}

const wholeOnly: uPlot.Axis.Filter = (_plot, splits) =>
  splits.map((value) => (Number.isInteger(value) ? value : null));

/** The line of a series. */
export type Line = {
  readonly name: string;
  /** Of failures. */
  readonly isBad: boolean;
  readonly tone: Tone | null;
};

type Drawing = {
  readonly Plot: typeof uPlot;
  readonly lines: readonly Line[];
  /** There are lines of the period before. */
  readonly hasBefore: boolean;
  readonly timeZone: string;
  readonly step: ChartProps['step'];
  readonly heightPx: number;
  /** Called when the pointer or a key chooses a bucket, or none. */
  readonly onPoint: (plot: uPlot) => void;
};

/** How the lines are drawn: each, and then the dashed continuation of each to its open bucket. */
export function chartOptions(
  holder: HTMLElement,
  { Plot, lines, hasBefore, timeZone, step, heightPx, onPoint }: Drawing,
): uPlot.Options {
  const probe = document.createElement('span');
  holder.append(probe);
  // A canvas cannot use CSS custom properties: resolve them now.
  const color = (property: string): string => {
    probe.style.color = `var(${property})`;
    return getComputedStyle(probe).color;
  };
  const axis = {
    stroke: color('--text-3'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: fontOf(),
  };
  const labels = axisLabels(timeZone, step);
  const labelPx = labelWidthPx(labels);
  const surface = color('--surface');
  const strokes = lines.map(({ isBad, tone }) =>
    color(tone !== null ? `--c${tone}` : isBad ? COLORS.bad : COLORS.good),
  );
  const areWide = step === 'week' || step === 'month';
  const options: uPlot.Options = {
    width: holder.clientWidth,
    height: heightPx,
    // Half of the last label may stand beyond the last point.
    padding: [8, Math.ceil(labelPx / 2), 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [onPoint] },
    // Axis labels are at whole hours and days of the time zone.
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), timeZone),
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max ?? 1) * 1.1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: labelPx + LABEL_GAP_PX,
        // Weeks begin on Mondays and months on the first: a label stands at a point.
        ...(areWide && { splits: splitsAtPoints(labelPx + LABEL_GAP_PX) }),
        values: (_plot, splits) => labels(splits),
      },
      {
        ...axis,
        size: 56,
        // Half an event is none.
        filter: wholeOnly,
        grid: { ...axis.grid, filter: wholeOnly },
        values: (_plot, splits) =>
          splits.map((value) => (value == null ? '' : short.format(value))),
      },
    ],
    series: [
      {},
      ...lines.map(({ name }, index) => ({
        label: name,
        stroke: strokes[index] ?? '',
        fill: index === 0 ? color('--accent-soft') : '',
        width: 2,
        points: { show: false },
      })),
      ...lines.map(({ name }, index) => ({
        label: name,
        stroke: strokes[index] ?? '',
        dash: [4, 4],
        width: 2,
        // A ring at the open bucket.
        points: {
          show: true,
          size: 8,
          fill: surface,
          filter: (plot: uPlot) => [plot.data[0].length - 1],
        },
      })),
      ...(hasBefore
        ? lines.map(({ name }, index) => ({
            label: name,
            stroke: strokes[index] ?? '',
            dash: [1.5, 4],
            width: 1.5,
            points: { show: false },
          }))
        : []),
    ],
  };
  probe.remove();
  return options;
}
