import { useQuestion } from '../../api/queries.ts';
import { isBusy } from '../../api/retries.ts';
import type { FunnelResult } from '../../api/types.ts';
import { useAnswered } from '../../analytics/use-answered.ts';
import { beforeName, useBefore } from '../../analytics/use-before.ts';
import type { LastRange } from '../../ui/calendar-range.ts';
import type { FunnelQuestion } from './draft.ts';

/** The exact answer of the time before. */
export type FunnelBefore = { readonly name: string; readonly result: FunnelResult };

/** A step as it is shown: exactly, or as it probably is. */
export type ShownStep = Omit<FunnelResult['steps'][number], 'fromStart' | 'fromPrevious'> & {
  /** Of an estimate: where `users` is, with 95 % certainty. */
  readonly low?: number;
  readonly high?: number;
};

export type ShownFunnel = {
  readonly question: FunnelQuestion;
  readonly steps: readonly ShownStep[];
  readonly isExact: boolean;
  /** What the exact answer says besides. */
  readonly result: FunnelResult | null;
  /** What it is compared with; null: with nothing, or its answer is on its way. */
  readonly before: FunnelBefore | null;
};

type Comparing = {
  readonly last: LastRange | null;
  readonly timeZone: string | null;
  readonly isCompared: boolean;
};

/**
 * The answer of a funnel: at once from a draw of people, then exactly. The draw is asked first, since
 * both wait in one queue; if it fails, the exact answer comes alone. The time before is asked last.
 */
export function useFunnelAnswer(
  question: FunnelQuestion | null,
  { isCompared, ...comparing }: Comparing,
) {
  const { breakdown: _breakdown, ...drawn } = question ?? {};
  const preview = useQuestion<{ readonly steps: readonly ShownStep[] }>(
    'funnels/preview',
    drawn,
    question !== null,
  );
  const estimate = preview.isPlaceholderData ? undefined : preview.data;
  const isDrawn = estimate !== undefined || preview.error !== null;
  const exact = useAnswered<FunnelQuestion, FunnelResult>(
    'funnels/result',
    isDrawn ? question : null,
  );
  const { answered } = exact;
  const earlier = useBefore<FunnelQuestion, FunnelResult>(
    'funnels/result',
    answered?.question ?? null,
    { ...comparing, isAsked: isCompared && !exact.isStale },
  );
  const before =
    earlier === undefined ? null : { name: beforeName(comparing.last), result: earlier };
  const shown = ((): ShownFunnel | null => {
    if (question !== null && answered?.question !== question && estimate !== undefined)
      return { question, steps: estimate.steps, isExact: false, result: null, before: null };
    if (answered === null) return null;
    const { question: asked, answer } = answered;
    return { question: asked, steps: answer.steps, isExact: true, result: answer, before };
  })();
  return {
    shown,
    error: question === null ? null : exact.error,
    isStale: shown !== null && shown.question !== question,
    isQueued: exact.isQueued || (preview.isFetching && isBusy(preview.failureReason)),
    retry: exact.retry,
  };
}
