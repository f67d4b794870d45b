import { useState } from 'react';
import type { RetentionQuestion, RetentionResult } from '../../api/analytics.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { useWidthRem } from '../../ui/use-width.ts';
import { wholeOf, type Whole } from './retention-question.ts';

type Point = { readonly period: number; readonly share: number; readonly of: NonNullable<Whole> };

/** The share that came back by the periods since the start, and three of its points in figures. */
export function Curve({
  question,
  result,
}: {
  readonly question: RetentionQuestion;
  readonly result: RetentionResult;
}) {
  const { period: unit } = question;
  const points = wholeOf(question, result).flatMap((of, period): Point[] =>
    of === null || period === 0 ? [] : [{ period, share: of.returned / of.users, of }],
  );
  if (points.length < 2) return null;
  return (
    <div className="curve-row">
      <Card
        title="How many come back"
        description={`All ${unit}s together, each by its size. A ${unit} that is not over is left out.`}
      >
        <Drawing points={points} unit={unit} />
      </Card>
      <dl className="card curve-figures">
        {chosen(points).map(({ period, share, of }) => (
          <div key={period}>
            <dt className="soft small">
              After {period} {unit}
              {period === 1 ? '' : 's'}
            </dt>
            <dd>
              <strong>{formatShare(of.returned, of.users)}</strong>{' '}
              <span className="soft small" data-share={share.toFixed(3)}>
                {formatCount(of.returned)} of {formatCount(of.users)}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The first, one in the middle, the last. */
const chosen = (points: readonly Point[]): readonly Point[] => [
  ...new Set(
    [points[0], points[Math.floor(points.length / 2)], points.at(-1)].filter(
      (each) => each !== undefined,
    ),
  ),
];

const WIDTH = 600;
const HEIGHT = 140;
const PLACES = [0, 0.5, 1];

/** The room of a tick, of the word at the start, and of the name of the last period. */
const ROOM_REM = { tick: 2, start: 3, end: 7.5 } as const;
const TICKS_MAX = 12;

/** Between the first and the last period, where nothing else is written. */
const ticksOf = (last: number, widthRem: number): readonly number[] => {
  const every = Math.ceil(last / Math.min(TICKS_MAX, widthRem / ROOM_REM.tick));
  return Array.from({ length: last }, (_, period) => period).filter((period) => {
    const at = (period / last) * widthRem;
    return period % every === 0 && at >= ROOM_REM.start && at <= widthRem - ROOM_REM.end;
  });
};

function Drawing({ points, unit }: { readonly points: readonly Point[]; readonly unit: string }) {
  const last = points.at(-1)?.period ?? 1;
  const [axis, setAxis] = useState<HTMLElement | null>(null);
  const widthRem = useWidthRem(axis);
  const x = (period: number): number => (period / last) * WIDTH;
  const y = (share: number): number => HEIGHT - share * HEIGHT;
  const line = [{ period: 0, share: 1 }, ...points]
    .map(({ period, share }) => `${x(period).toFixed(1)},${y(share).toFixed(1)}`)
    .join(' ');
  return (
    <figure className="curve">
      <div className="curve-field" aria-hidden="true">
        {PLACES.map((share) => (
          <span key={share} className="curve-tick soft small" style={{ bottom: `${share * 100}%` }}>
            {share * 100} %
          </span>
        ))}
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
          <polyline points={line} />
        </svg>
      </div>
      <div ref={setAxis} className="curve-axis soft small" aria-hidden="true">
        <span>start</span>
        {ticksOf(last, widthRem).map((period) => (
          <span
            key={period}
            className="curve-period"
            style={{ insetInlineStart: `${(period / last) * 100}%` }}
          >
            {period}
          </span>
        ))}
        <span>
          {last} {unit}
          {last === 1 ? '' : 's'} later
        </span>
      </div>
      <figcaption className="hidden-visually">
        {points
          .map(({ period, of }) => `After ${period}: ${formatShare(of.returned, of.users)}`)
          .join('. ')}
      </figcaption>
    </figure>
  );
}
