import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** `isBad`: in the colour of what should not be. */
export type Series = { readonly name: string; readonly values: readonly (number | null)[]; readonly isBad?: boolean };
type ChartProps = { readonly label: string; readonly unit: string; /** In milliseconds since the epoch. */ readonly times: readonly number[]; readonly series: readonly Series[] };

const HEIGHT_PX = 200;
const COLORS = { good: '--accent', bad: '--bad-fill' } as const;

/** Numbers over time; the same as a table for whoever does not see it. */
export function Chart({ label, unit, times, series }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = useRef<uPlot.AlignedData>([[]]);
  useEffect(() => {
    data.current = [times.map((time) => time / 1_000), ...series.map(({ values }) => [...values])];
    plot.current?.setData(data.current);
  }, [times, series]);
  const names = series.map(({ name, isBad = false }) => `${isBad ? 'bad' : 'good'} ${name}`).join('\n');

  useEffect(() => {
    const holder = box.current;
    if (holder === null) return;
    let isGone = false;
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const draw = async (): Promise<void> => {
      const { default: Plot } = await import('uplot');
      if (isGone) return;
      plot.current?.destroy();
      plot.current = new Plot(optionsFor(holder, names.split('\n'), unit), data.current, holder);
    };
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: holder.clientWidth, height: HEIGHT_PX }));
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
  }, [names, unit]);

  return (
    <figure>
      <div ref={box} className="chart" aria-hidden="true" />
      <figcaption className="hidden-visually">
        <table>
          <caption>
            {label}, {unit}
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
                <td>{new Date(time).toLocaleString()}</td>
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

/** Beside the axis there is little room; exact numbers are in the legend and the table. */
const short = new Intl.NumberFormat(undefined, { notation: 'compact' });

const DAY_SECONDS = 86_400;
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The time of day, and at midnight the day that begins. */
const shownAt = (at: Date, stepSeconds: number): string => (stepSeconds >= DAY_SECONDS || (at.getHours() === 0 && at.getMinutes() === 0) ? day : minute).format(at);

function optionsFor(holder: HTMLElement, names: readonly string[], unit: string): uPlot.Options {
  const probe = document.createElement('span');
  holder.append(probe);
  // A canvas does not know custom properties: what they come to here and now.
  const color = (property: string): string => {
    probe.style.color = `var(${property})`;
    return getComputedStyle(probe).color;
  };
  const axis = { stroke: color('--text-soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui' };
  const options: uPlot.Options = {
    width: holder.clientWidth,
    height: HEIGHT_PX,
    legend: { show: names.length > 1 },
    cursor: { y: false },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max ?? 1) * 1.1] } },
    axes: [{ ...axis, values: (_plot, splits) => splits.map((at) => shownAt(new Date(at * 1_000), (splits[1] ?? 0) - (splits[0] ?? 0))) }, { ...axis, size: 56, values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? short.format(value) : '')) }],
    series: [
      { value: (_plot, at) => (at == null ? '–' : new Date(at * 1_000).toLocaleString('en-GB')) },
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
