import type { ReactNode } from 'react';
import type { Names } from '../../conditions/describe-condition.ts';
import { durationText } from '../../conditions/duration.ts';
import { formatCount, formatShare, humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { PointsChange } from '../../ui/change.tsx';
import type { FunnelPlace } from './draft.ts';
import type { FunnelBefore, ShownFunnel } from './use-funnel-answer.ts';
import { stepName } from './words.ts';

/** The step after which most people dropped out; null if none did. */
export function worstStep({ steps }: Pick<ShownFunnel, 'steps'>): FunnelPlace | null {
  const most = Math.max(0, ...steps.map(({ dropped = 0 }) => dropped));
  return most === 0
    ? null
    : { state: 'dropped', step: steps.findIndex(({ dropped }) => dropped === most) + 1 };
}

/** How the share differs from that of the time before. */
function Compared({
  last,
  started,
  before: { name, result },
}: {
  readonly last: number;
  readonly started: number;
  readonly before: FunnelBefore;
}) {
  const [first, end] = [result.steps[0], result.steps.at(-1)];
  if (started === 0 || first === undefined || end === undefined) return null;
  if (first.users === 0) return <p className="soft small">{humanize(name)}: no one started</p>;
  return (
    <p className="small">
      <PointsChange now={last / started} before={end.users / first.users} />{' '}
      <span className="soft">
        · {name}: {formatShare(end.users, first.users)}
      </span>
    </p>
  );
}

/** How many came to the end, how many may still, and what can be done about those who did not. */
export function FunnelSummary({
  shown,
  names,
  children,
}: {
  readonly shown: ShownFunnel;
  readonly names: Names;
  readonly children: ReactNode;
}) {
  const { steps, question } = shown;
  const [started, last] = [steps[0]?.users ?? 0, steps.at(-1)?.users ?? 0];
  const open = steps.at(-2)?.open ?? 0;
  const end = question.steps.at(-1);
  const isAlmost = shown.isExact ? '' : '≈ ';
  return (
    <section className="funnel-summary" aria-label="Summary">
      <h2>
        Came to {end === undefined ? '' : <bdi>{isolate(stepName(end, names))}</bdi>} within{' '}
        {durationText(question.window)}
      </h2>
      <p className="funnel-share">
        {isAlmost}
        {formatShare(last, started)}
      </p>
      {shown.before !== null && <Compared last={last} started={started} before={shown.before} />}
      <p className="soft small">
        {isAlmost}
        {formatCount(last)} of {formatCount(started)}
        {open > 0 && (
          <>
            , up to <span className="nowrap">{formatShare(last + open, started)}</span> if all of
            step {steps.length - 1} who still can go on do so
          </>
        )}
      </p>
      <div className="funnel-acts">{children}</div>
    </section>
  );
}
