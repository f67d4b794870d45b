import type { Tone } from './chart-props.ts';

const WIDTH = 160;
const HEIGHT = 24;
const EDGE = 2;

/** The course of a number, without its scale. */
export function Sparkline({
  values,
  tone,
}: {
  readonly values: readonly { readonly value: number }[];
  readonly tone: Tone | null;
}) {
  const most = Math.max(1e-9, ...values.map(({ value }) => value));
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    ({ value }, index) =>
      `${(index * step).toFixed(1)},${(HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)).toFixed(1)}`,
  );
  return (
    <svg
      className={`sparkline ${tone === null ? '' : `line-c${tone}`}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points.join(' ')} />
    </svg>
  );
}
