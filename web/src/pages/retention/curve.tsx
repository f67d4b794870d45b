import type { RetentionQuestion, RetentionResult } from '../../api/analytics.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
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

/** Between the first and the last period, but where the name of the last stands. */
const TICKS_MAX = 12;
const TICKS_END = 0.85;
const ticksOf = (last: number): readonly number[] => {
  const every = Math.ceil(last / TICKS_MAX);
  return Array.from({ length: last }, (_, period) => period).filter(
    (period) => period > 0 && period % every === 0 && period / last <= TICKS_END,
  );
};

function Drawing({ points, unit }: { readonly points: readonly Point[]; readonly unit: string }) {
  const last = points.at(-1)?.period ?? 1;
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
      <div className="curve-axis soft small" aria-hidden="true">
        <span>start</span>
        {ticksOf(last).map((period) => (
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
