import { Link } from '@tanstack/react-router';
import type { Names } from '../../conditions/describe-condition.ts';
import { counted, formatCount } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { Empty } from '../../ui/states.tsx';
import { NEW_FUNNEL } from './draft.ts';
import { useFrequentSequences, useReversedStep } from './sequences.ts';
import type { ShownFunnel } from './use-funnel-answer.ts';
import { stepName, stepsText } from './words.ts';

/** Before the events are chosen: what many people do one after the other. */
export function FirstSteps({ names }: { readonly names: Names }) {
  const sequences = useFrequentSequences();
  return (
    <Empty
      title="What do people do first, and what then?"
      icon="funnels"
      action={
        sequences.length > 0 && (
          <ul className="funnel-suggestions" aria-label="Often in this order">
            {sequences.map(({ steps, users }) => (
              <li key={JSON.stringify(steps)}>
                <Link
                  to="/new-funnel"
                  search={{ funnel: JSON.stringify({ ...NEW_FUNNEL, steps }) }}
                  className={`${buttonClass()} wrap`}
                >
                  <bdi>{stepsText(steps, names)}</bdi>
                  <span className="soft">≈ {counted(users, 'person', 'people')}</span>
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    >
      Choose an event for each step, and see how many people go from one to the next.
      {sequences.length > 0 && ' Or begin with what many of them did in the last 30 days:'}
    </Empty>
  );
}

/** Says that two steps usually come in the other order, and swaps them. */
export function ReversedNote({
  shown,
  names,
  onSwap,
}: {
  readonly shown: ShownFunnel;
  readonly names: Names;
  /** @param index from 0: of the first of them */
  readonly onSwap: (index: number) => void;
}) {
  const found = useReversedStep(shown);
  if (found === null) return null;
  const [first, second] = shown.question.steps.slice(found.index, found.index + 2);
  if (first === undefined || second === undefined) return null;
  return (
    <Callout tone="warn">
      <div className="row">
        <p className="grow small wrap">
          <bdi>{isolate(stepName(second, names))}</bdi> usually comes before{' '}
          <bdi>{isolate(stepName(first, names))}</bdi>: ≈{' '}
          {counted(found.reversed, 'person', 'people')} did them in that order, ≈{' '}
          {formatCount(found.inOrder)} in yours.
        </p>
        <Button isSmall onClick={() => onSwap(found.index)}>
          Swap them
        </Button>
      </div>
    </Callout>
  );
}
