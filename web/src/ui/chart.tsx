import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { repairLanguage } from '../lib/language.ts';
import { useNow } from '../lib/now.ts';
import { CHART_HEIGHT_PX, chartOptions } from './chart-options.ts';
import { isLastOpen, toLines } from './chart-points.ts';
import type { ChartProps, TimeBasis } from './chart-props.ts';
import { ChartTip, describePoint, type Point } from './chart-tip.tsx';

const AXIS_NAMES = {
  'event time': 'Event time',
  arrival: 'Arrival time',
} as const satisfies Record<TimeBasis, string>;
const viewerZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Numbers over time. The bucket that still runs is dashed. Pointer and arrow keys show the numbers
 * of a bucket; screen readers get all of them as a table, too.
 */
export function Chart(props: ChartProps) {
  const { label, unit, times, series, basis, timeZone = viewerZone } = props;
  const now = useNow();
  const isOpen = isLastOpen(times, now);
  const { box, point, choose } = usePlot({ ...props, timeZone, isOpen });
  const last = times.length - 1;
  const move = (event: KeyboardEvent): void => {
    const from = point?.index ?? last + 1;
    const steps: Readonly<Record<string, number | null>> = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, from + 1),
      Home: 0,
      End: last,
      Escape: null,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  };
  return (
    <figure>
      {series.length > 1 && (
        <ul className="legend chart-legend" aria-hidden="true">
          {series.map(({ name, isBad = false }) => (
            <li key={name} className="small">
              <span className={`swatch ${isBad ? 'fill-failed_attempts' : 'fill-waiting'}`} />
              {name}, {unit}
            </li>
          ))}
        </ul>
      )}
      <div
        className="chart-field"
        role="slider"
        tabIndex={0}
        aria-label={`${label}: arrow keys go through the times`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={point?.index ?? last}
        aria-valuetext={describePoint({ ...props, timeZone, isOpen }, point?.index ?? last)}
        onKeyDown={move}
        onBlur={() => choose(null)}
      >
        <div ref={box} className="chart" aria-hidden="true" />
        {point !== null && (
          <ChartTip {...props} timeZone={timeZone} isOpen={isOpen} point={point} />
        )}
      </div>
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

type Plotted = Required<Pick<ChartProps, 'times' | 'series' | 'timeZone'>> & {
  readonly isOpen: boolean;
};

/** Keeps a plot in a box, with its size and data, and the bucket that is chosen. */
function usePlot({ times, series, timeZone, isOpen }: Plotted) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = useRef<uPlot.AlignedData>([[]]);
  const [point, setPoint] = useState<Point | null>(null);
  useEffect(() => {
    data.current = toLines(times, series, isOpen);
    plot.current?.setData(data.current);
  }, [times, series, isOpen]);
  const lines = JSON.stringify(series.map(({ name, isBad = false }) => ({ name, isBad })));

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
      const onPoint = (drawn: uPlot): void => setPoint(pointOf(drawn));
      const drawing = { Plot, lines: JSON.parse(lines), timeZone, onPoint };
      plot.current = new Plot(chartOptions(holder, drawing), data.current, holder);
    };
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: holder.clientWidth, height: CHART_HEIGHT_PX }),
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
  }, [lines, timeZone]);

  const choose = (index: number | null): void => {
    const drawn = plot.current;
    const at = index === null ? undefined : drawn?.data[0][index];
    // Left of the plot: the cursor is nowhere.
    drawn?.setCursor({ left: at === undefined ? -10 : drawn.valToPos(at, 'x'), top: 0 });
  };
  return { box, point, choose };
}

function pointOf({ cursor, data, valToPos, over }: uPlot): Point | null {
  const { idx, left = -1 } = cursor;
  const at = idx == null ? undefined : data[0][idx];
  if (idx == null || at === undefined || left < 0) return null;
  return {
    index: idx,
    leftPx: over.offsetLeft + valToPos(at, 'x'),
    isLate: left > over.clientWidth / 2,
  };
}
