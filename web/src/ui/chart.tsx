import { Fragment, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { repairLanguage } from '../lib/language.ts';
import { useNow } from '../lib/now.ts';
import { CHART_HEIGHT_PX, chartOptions, type Line } from './chart-options.ts';
import { isLastOpen, toLines } from './chart-points.ts';
import type { ChartProps, TimeBasis } from './chart-props.ts';
import { ChartTip, describePoint, markOf, type Point } from './chart-tip.tsx';

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
  const { label, unit, times, series, basis, timeZone = viewerZone, onOpen, beforeName } = props;
  const now = useNow();
  const isOpen = props.isOpen ?? isLastOpen(times, now);
  const { box, point, choose } = usePlot({ ...props, timeZone, isOpen });
  const last = times.length - 1;
  const hasBefore = series.some(({ before }) => before !== undefined);
  const open = (): void => {
    if (point !== null) onOpen?.(point.index, point.nearest);
  };
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') return open();
    const chosen = point?.nearest ?? 0;
    const other = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 + series.length }[event.key];
    if (other !== undefined && point !== null && onOpen !== undefined) {
      event.preventDefault();
      return choose(point.index, other % series.length);
    }
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
    choose(to, chosen);
  };
  return (
    <figure>
      {(series.length > 1 || hasBefore) && (
        <ul className="legend chart-legend" aria-hidden="true">
          {series.map((each) => (
            <li key={each.name} className="small">
              <span className={markOf(each)} />
              <bdi>{each.name}</bdi>
              {unit !== '' && `, ${unit}`}
            </li>
          ))}
          {hasBefore && (
            <li className="small soft">
              <span className="line-mark dotted" />
              {beforeName}
            </li>
          )}
          {isOpen && (
            <li className="small soft">
              <span className="line-mark dashed" />
              not over yet
            </li>
          )}
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
        onClick={open}
        onBlur={() => choose(null)}
      >
        <div
          ref={box}
          className={onOpen === undefined ? 'chart' : 'chart opens'}
          style={props.heightPx === undefined ? undefined : { minHeight: props.heightPx }}
          aria-hidden="true"
        />
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
            {[label, unit].filter(Boolean).join(', ')}, by {basis} in {timeZone}
          </caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name, before }) => (
                <Fragment key={name}>
                  <th scope="col">{name}</th>
                  {before !== undefined && (
                    <th scope="col">
                      {name}, {beforeName}
                    </th>
                  )}
                </Fragment>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, index) => (
              <tr key={time}>
                <td>{new Date(time).toLocaleString(undefined, { timeZone })}</td>
                {series.map(({ name, values, before }) => (
                  <Fragment key={name}>
                    <td>{values[index] ?? '–'}</td>
                    {before !== undefined && <td>{before[index] ?? '–'}</td>}
                  </Fragment>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </figcaption>
    </figure>
  );
}

type Plotted = Required<Pick<ChartProps, 'times' | 'series' | 'timeZone'>> &
  Pick<ChartProps, 'step' | 'heightPx'> & {
    readonly isOpen: boolean;
  };

/** Keeps a plot in a box, with its size and data, and the bucket that is chosen. */
function usePlot({ times, series, timeZone, isOpen, step, heightPx = CHART_HEIGHT_PX }: Plotted) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = useRef<uPlot.AlignedData>([[]]);
  const [point, setPoint] = useState<Point | null>(null);
  useEffect(() => {
    data.current = toLines(times, series, isOpen);
    plot.current?.setData(data.current);
  }, [times, series, isOpen]);
  const lines = JSON.stringify(
    series.map(({ name, isBad = false, tone = null }): Line => ({ name, isBad, tone })),
  );
  const hasBefore = series.some(({ before }) => before !== undefined);

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
      const drawnLines = JSON.parse(lines) as readonly Line[];
      const onPoint = (drawn: uPlot): void => setPoint(pointOf(drawn, drawnLines.length));
      const drawing = { Plot, lines: drawnLines, hasBefore, timeZone, step, heightPx, onPoint };
      plot.current = new Plot(chartOptions(holder, drawing), data.current, holder);
    };
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: holder.clientWidth, height: heightPx }),
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
  }, [lines, hasBefore, timeZone, step, heightPx]);

  const choose = (index: number | null, line = 0): void => {
    const drawn = plot.current;
    const at = index === null ? undefined : drawn?.data[0][index];
    if (drawn === null || index === null || at === undefined) {
      // Left of the plot: the cursor is nowhere.
      drawn?.setCursor({ left: -10, top: 0 });
      return;
    }
    const value = valueOf(drawn, [line, series.length], index);
    drawn.setCursor({
      left: drawn.valToPos(at, 'x'),
      top: value === null ? 0 : drawn.valToPos(value, 'y'),
    });
  };
  return { box, point, choose };
}

/** The value of a series in a bucket, be it over or open. */
function valueOf({ data }: uPlot, [line, lines]: readonly [number, number], index: number) {
  return data[line + 1]?.[index] ?? data[line + 1 + lines]?.[index] ?? null;
}

function pointOf(plot: uPlot, lines: number): Point | null {
  const { cursor, data, valToPos, over } = plot;
  const { idx, left = -1, top = 0 } = cursor;
  const at = idx == null ? undefined : data[0][idx];
  if (idx == null || at === undefined || left < 0) return null;
  const away = Array.from({ length: lines }, (_, line) => {
    const value = valueOf(plot, [line, lines], idx);
    return value === null ? Number.POSITIVE_INFINITY : Math.abs(valToPos(value, 'y') - top);
  });
  return {
    index: idx,
    leftPx: over.offsetLeft + valToPos(at, 'x'),
    isLate: left > over.clientWidth / 2,
    nearest: Math.max(0, away.indexOf(Math.min(...away))),
  };
}
