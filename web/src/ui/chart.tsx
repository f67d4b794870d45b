import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { repairLanguage } from '../lib/language.ts';

/** `isBad`: drawn in the colour of failures. */
export type Series = {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly isBad?: boolean;
};
/** What the time axis shows: when events happened, or when they arrived. */
export type TimeBasis = 'event time' | 'arrival';
type ChartProps = {
  readonly label: string;
  readonly unit: string;
  /** In milliseconds since the Unix epoch. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Shown below the axis. */
  readonly basis: TimeBasis;
  /** IANA name. Default: the viewer's time zone. */
  readonly timeZone?: string;
};

const AXIS_NAMES = {
  'event time': 'Event time',
  arrival: 'Arrival time',
} as const satisfies Record<TimeBasis, string>;
const viewerZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const HEIGHT_PX = 200;
const COLORS = { good: '--accent', bad: '--bad-fill' } as const;

/** Numbers over time. Screen readers get the same data as a table. */
export function Chart({ label, unit, times, series, basis, timeZone = viewerZone }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = useRef<uPlot.AlignedData>([[]]);
  useEffect(() => {
    data.current = [times.map((time) => time / 1_000), ...series.map(({ values }) => [...values])];
    plot.current?.setData(data.current);
  }, [times, series]);
  const names = series
    .map(({ name, isBad = false }) => `${isBad ? 'bad' : 'good'} ${name}`)
    .join('\n');

  useEffect(() => {
    const holder = box.current;
    if (holder === null) return;
    let isGone = false;
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const draw = async (): Promise<void> => {
      // uPlot formats numbers in `navigator.language` as soon as it is loaded.
      repairLanguage();
      const { default: Plot } = await import('uplot');
      if (isGone) return;
      plot.current?.destroy();
      plot.current = new Plot(
        optionsFor(holder, { Plot, names: names.split('\n'), unit, timeZone }),
        data.current,
        holder,
      );
    };
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: holder.clientWidth, height: HEIGHT_PX }),
    );
    const redraw = (): void => void draw();
    redraw();
    resized.observe(holder);
    scheme.addEventListener('change', redraw);
    return () => {
      isGone = true;
      resized.disconnect();
      scheme.removeEventListener('change', redraw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [names, unit, timeZone]);

  return (
    <figure>
      <div ref={box} className="chart" aria-hidden="true" />
      <p className="axis soft small">
        {AXIS_NAMES[basis]}, {timeZone}
      </p>
      <figcaption className="hidden-visually">
        <table>
          <caption>
            {label}, {unit}, by {basis} in {timeZone}
          </caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, index) => (
              <tr key={time}>
                <td>{new Date(time).toLocaleString(undefined, { timeZone })}</td>
                {series.map(({ name, values }) => (
                  <td key={name}>{values[index] ?? '–'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </figcaption>
    </figure>
  );
}

/** The axis has little room. The legend and the table show exact numbers. */
const short = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** A day has 23 hours when daylight saving time begins. */
const DAY_SECONDS_MIN = 82_800;

/** Labels of the time axis: the time of day, and at midnight the new day. */
function axisLabels(timeZone: string): (splits: readonly number[]) => string[] {
  const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone });
  const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', timeZone });
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

type Drawing = {
  readonly Plot: typeof uPlot;
  readonly names: readonly string[];
  readonly unit: string;
  readonly timeZone: string;
};

function optionsFor(holder: HTMLElement, { Plot, names, unit, timeZone }: Drawing): uPlot.Options {
  const probe = document.createElement('span');
  holder.append(probe);
  // A canvas cannot use CSS custom properties: resolve them now.
  const color = (property: string): string => {
    probe.style.color = `var(${property})`;
    return getComputedStyle(probe).color;
  };
  const axis = {
    stroke: color('--text-soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  };
  const labels = axisLabels(timeZone);
  const options: uPlot.Options = {
    width: holder.clientWidth,
    height: HEIGHT_PX,
    legend: { show: names.length > 1 },
    cursor: { y: false },
    // Axis labels are at whole hours and days of the time zone.
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), timeZone),
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max ?? 1) * 1.1] } },
    axes: [
      { ...axis, size: 30, values: (_plot, splits) => labels(splits) },
      {
        ...axis,
        size: 56,
        values: (_plot, splits) =>
          splits.map((value) => (Number.isInteger(value) ? short.format(value) : '')),
      },
    ],
    series: [
      {
        value: (_plot, at) =>
          at == null ? '–' : new Date(at * 1_000).toLocaleString(undefined, { timeZone }),
      },
      ...names.map((named, index) => ({
        label: `${named.slice(named.indexOf(' ') + 1)}, ${unit}`,
        stroke: color(named.startsWith('bad ') ? COLORS.bad : COLORS.good),
        fill: index === 0 ? color('--accent-soft') : '',
        width: 2,
        points: { show: false },
      })),
    ],
  };
  probe.remove();
  return options;
}
