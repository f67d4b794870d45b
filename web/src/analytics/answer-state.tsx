import type { ReactNode } from 'react';
import { readFieldErrors } from '../api/problem.ts';
import { formatDuration, humanize } from '../lib/format.ts';
import { Callout } from '../ui/card.tsx';
import { QuestionError } from '../ui/question-error.tsx';
import { Time } from '../ui/time.tsx';
import { ChartSkeleton } from './chart-skeleton.tsx';

type Answered = {
  readonly asOf: number;
  readonly tookMs: number;
  readonly warnings?: readonly {
    readonly code: string;
    readonly pointer: string;
    readonly detail: string;
  }[];
};

/** How good the numbers are. */
export function AsOf({ answer }: { readonly answer: Answered | undefined }) {
  if (answer === undefined) return null;
  return (
    <span className="soft small nowrap as-of" role="status">
      Exact, as of <Time at={answer.asOf} form="clock" />, {formatDuration(answer.tookMs)}
    </span>
  );
}

/** What does not hold in the question, below its sentence. */
export function Warnings({ answer }: { readonly answer: Answered }) {
  return (answer.warnings ?? []).map(({ code, pointer, detail }) => (
    <Callout key={`${code} ${pointer}`} tone="warn">
      <p className="small">
        <strong>{humanize(code)}.</strong> {detail}
      </p>
    </Callout>
  ));
}

/**
 * Why there is no answer. Faults of single parts stand at them in the sentence; the reasons of others are
 * listed here.
 */
export function AnswerError({
  error,
  onRetry,
}: {
  readonly error: Error | null;
  readonly onRetry: () => void;
}) {
  if (error === null) return null;
  return (
    <div role="alert" className="stack tight">
      {readFieldErrors(error).length > 0 ? (
        <Callout tone="bad">
          <p>The question cannot be answered like this: see what is marked above.</p>
        </Callout>
      ) : (
        <QuestionError error={error} onRetry={onRetry} />
      )}
    </div>
  );
}

/** An answer, fainter while the next one is on its way; the shape of one before the first. */
export function Shown({
  isStale,
  children,
}: {
  readonly isStale: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className={isStale ? 'stack stale' : 'stack'} aria-busy={isStale}>
      {children}
    </div>
  );
}

/** What is below the sentence of a question: why there is no answer, its shape while it comes, or the answer. */
export function AnswerPart({
  asked: { answered, error, isStale, isQueued, retry },
  children,
}: {
  readonly asked: {
    readonly answered: { readonly answer: Answered } | null;
    readonly error: Error | null;
    readonly isStale: boolean;
    readonly isQueued: boolean;
    readonly retry: () => void;
  };
  readonly children: ReactNode;
}) {
  return (
    <>
      <AnswerError error={error} onRetry={retry} />
      {answered === null ? (
        error === null && <ChartSkeleton isQueued={isQueued} />
      ) : (
        <Shown isStale={isStale}>
          <Warnings answer={answered.answer} />
          {children}
        </Shown>
      )}
    </>
  );
}
