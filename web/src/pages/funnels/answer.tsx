import { fieldErrorMessage, readFieldErrors } from '../../api/problem.ts';
import { AnswerError, Shown, Warnings } from '../../analytics/answer-state.tsx';
import { ChartSkeleton } from '../../analytics/chart-skeleton.tsx';
import type { Names } from '../../conditions/describe-condition.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { FunnelBars } from './bars.tsx';
import type { Began, FunnelPlace } from './draft.ts';
import { countOf, FunnelPeople, WriteToThem } from './funnel-people.tsx';
import { FunnelGroups } from './groups.tsx';
import { FirstSteps, ReversedNote } from './suggestions.tsx';
import { FunnelSummary, worstStep } from './summary.tsx';
import type { ShownFunnel, useFunnelAnswer } from './use-funnel-answer.ts';
import type { FunnelSaving } from './use-saving.ts';
import { windowMs } from './words.ts';

/** The numbers of a funnel, and the people of the one that is open. */
export function Answer({
  shown,
  error,
  isStale,
  isQueued,
  retry,
  isAsked,
  names,
  place,
  saving,
  began,
  onOpen,
  onShorten,
  onSwap,
}: ReturnType<typeof useFunnelAnswer> & {
  /** The sentence is whole. */
  readonly isAsked: boolean;
  readonly names: Names;
  readonly place: FunnelPlace | null;
  readonly saving: FunnelSaving;
  readonly began: Began;
  readonly onOpen: (place: FunnelPlace | null) => void;
  /** Asks about fewer days. */
  readonly onShorten: () => void;
  /** @param index from 0: of the step that changes its place with the next */
  readonly onSwap: (index: number) => void;
}) {
  if (!isAsked && shown === null) return <FirstSteps names={names} />;
  const worst = shown === null ? null : worstStep(shown);
  const isEmpty = shown !== null && shown.isExact && shown.steps[0]?.users === 0;
  return (
    <>
      <Refused error={error} onRetry={retry} onShorten={onShorten} />
      {shown === null ? (
        error === null && <ChartSkeleton isQueued={isQueued} />
      ) : (
        <Shown isStale={isStale}>
          {shown.result !== null && <Warnings answer={shown.result} />}
          {isEmpty ? (
            <Empty title="No one started in this time" icon="funnels">
              Choose a longer time, or another first event.
            </Empty>
          ) : (
            <>
              <div className="funnel-answer">
                <FunnelBars {...{ shown, names, place, onOpen }} />
                <FunnelSummary shown={shown} names={names}>
                  {worst !== null && (
                    <>
                      <WriteToThem
                        {...{ shown, saving, place: worst }}
                        label={`Write to the ${shown.isExact ? '' : '≈ '}${formatCount(countOf(shown, worst) ?? 0)}`}
                      />
                      <span className="soft small">who dropped out at step {worst.step}</span>
                    </>
                  )}
                </FunnelSummary>
              </div>
              <Legend shown={shown} />
              <ReversedNote {...{ shown, names, onSwap }} />
              {shown.result !== null && (
                <FunnelGroups
                  question={shown.question}
                  result={shown.result}
                  before={shown.before}
                  {...{ names, onOpen }}
                />
              )}
            </>
          )}
        </Shown>
      )}
      {shown !== null && place !== null && (
        <FunnelPeople {...{ shown, saving, began, names, place }} onChange={onOpen} />
      )}
    </>
  );
}

/** Why there is no answer, and what helps. What is wrong in the sentence is marked there, too. */
function Refused({
  error,
  onRetry,
  onShorten,
}: {
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly onShorten: () => void;
}) {
  const faults = readFieldErrors(error);
  if (faults.length === 0) return <AnswerError error={error} onRetry={onRetry} />;
  const tooMany = faults.find(({ code }) => code === 'too_many');
  if (tooMany?.pointer === '/breakdown')
    return (
      <Callout tone="warn">
        <p role="alert">
          There are too many different values to tell them apart. Choose another one after “by”.
        </p>
      </Callout>
    );
  if (tooMany?.pointer === '/segment')
    return (
      <Callout tone="warn">
        <p role="alert">
          The segment asks for a funnel that more people entered than one question can hold. Choose
          another segment, or a shorter time in it.
        </p>
      </Callout>
    );
  if (tooMany !== undefined)
    return (
      <Callout tone="warn">
        <p role="alert">
          More people started than one question can hold. Choose a shorter time, a rarer first
          event, or a segment.
        </p>
        <div className="row">
          <Button onClick={onShorten}>Ask about the last 7 days</Button>
        </div>
      </Callout>
    );
  return (
    <Callout tone="bad">
      <div role="alert">
        <p>The funnel can’t be counted like this.</p>
        <ul className="small">
          {faults.map((fault) => (
            <li key={`${fault.pointer} ${fault.code}`}>
              {placeName(fault.pointer)}: {fieldErrorMessage(fault)}
            </li>
          ))}
        </ul>
      </div>
    </Callout>
  );
}

/** `/steps/1/event` as a reader knows it. */
function placeName(pointer: string): string {
  const [, first = '', index] = pointer.split('/');
  if (first === 'steps' && index !== undefined) return `Step ${Number(index) + 1}`;
  return PLACES[first] ?? 'The funnel';
}

const PLACES: Readonly<Record<string, string>> = {
  window: 'Within',
  from: 'The first day',
  to: 'The last day',
  segment: 'Of whom',
  breakdown: 'By',
};

/** What the fills mean. */
function Legend({ shown: { question, steps, result, before } }: { readonly shown: ShownFunnel }) {
  const hasOpen = steps.some(({ open = 0 }) => open > 0);
  return (
    <p className="funnel-legend soft small">
      <span>
        <span className="funnel-key went" aria-hidden="true" /> came to the step
      </span>
      {hasOpen && (
        <span>
          <span className="funnel-key open" aria-hidden="true" /> may still go on
          {result !== null && (
            <>
              , until{' '}
              <Time
                at={Math.min(question.to, result.asOf) + windowMs(question.window)}
                form="short"
              />
            </>
          )}
        </span>
      )}
      <span>
        <span className="funnel-key gone" aria-hidden="true" /> dropped out
      </span>
      {before !== null && (
        <span>
          <span className="funnel-key before" aria-hidden="true" /> {before.name}
        </span>
      )}
    </p>
  );
}
