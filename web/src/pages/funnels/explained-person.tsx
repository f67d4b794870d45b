import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuestion, useRead } from '../../api/queries.ts';
import type { User } from '../../api/types.ts';
import { useBuilderFacts } from '../../conditions/builder-context.ts';
import { describeCondition, type Names } from '../../conditions/describe-condition.ts';
import { durationText } from '../../conditions/duration.ts';
import { counted, formatDuration } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Icon } from '../../ui/icon.tsx';
import { QuestionError } from '../../ui/question-error.tsx';
import { Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { nameOfUser } from '../people/people.ts';
import type { FunnelQuestion } from './draft.ts';
import { stepName } from './words.ts';

type DoneStep = { readonly at: number; readonly eventId: string };
type MissingStep = {
  readonly lookedUntil: number;
  readonly nextAfterwards?: DoneStep;
  readonly rejected: readonly { readonly eventId: string; readonly pointer: string }[];
};
type Explanation = {
  readonly reached: number;
  readonly state: 'not_entered' | 'dropped' | 'open' | 'converted';
  readonly steps: readonly (DoneStep | { readonly missing: MissingStep })[];
};

/** How far a person came, and why no further, as sentences. */
export function ExplainedPerson({
  customUserId,
  question,
}: {
  readonly customUserId: string;
  readonly question: FunnelQuestion;
}) {
  const { names } = useBuilderFacts();
  const { steps, window, from, to } = question;
  const { data, error, refetch, isPlaceholderData } = useQuestion<Explanation>(
    'funnels/explain',
    { steps, window, from, to, customUserId },
    true,
  );
  const { data: user } = useRead<User>(`users/${encodeURIComponent(customUserId)}`);
  return (
    <div className="inside stack">
      <p>
        <strong className="wrap">
          <bdi>{nameOfUser(customUserId, user)}</bdi>
        </strong>
      </p>
      {data !== undefined && !isPlaceholderData ? (
        <ol className="funnel-person">
          {data.steps.map((step, index) => (
            // Steps have no identity of their own.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>
              {'missing' in step ? (
                <Missing {...step.missing} {...{ index, question, names }} state={data.state} />
              ) : (
                <Done step={step} before={data.steps[index - 1]} {...{ index, question, names }} />
              )}
            </li>
          ))}
        </ol>
      ) : error === null ? (
        <Loading lines={3} />
      ) : (
        <QuestionError error={error} onRetry={() => void refetch()} />
      )}
      <p>
        <Link to="/users/$customUserId" params={{ customUserId }}>
          Open the profile
        </Link>
      </p>
    </div>
  );
}

type Of = {
  /** From 0. */
  readonly index: number;
  readonly question: FunnelQuestion;
  readonly names: Names;
};

function Event({ index, question: { steps }, names }: Of) {
  const step = steps[index];
  return <bdi className="strong">{step === undefined ? '' : isolate(stepName(step, names))}</bdi>;
}

const Line = ({
  icon,
  children,
}: {
  readonly icon: 'check' | 'hourglass' | 'close';
  readonly children: ReactNode;
}) => (
  <>
    <span className="funnel-mark" data-mark={icon}>
      <Icon name={icon} />
    </span>
    <div className="stack tight">{children}</div>
  </>
);

function Done({
  step: { at, eventId },
  before,
  ...of
}: Of & { readonly step: DoneStep; readonly before: Explanation['steps'][number] | undefined }) {
  return (
    <Line icon="check">
      <p title={`Event ${eventId}`}>
        Did <Event {...of} />
        {before !== undefined && 'at' in before && <> {formatDuration(at - before.at)} later</>}.
      </p>
      <p className="soft small">
        <Time at={at} />
      </p>
    </Line>
  );
}

function Missing({
  lookedUntil,
  nextAfterwards,
  rejected,
  state,
  ...of
}: Of & MissingStep & Pick<Explanation, 'state'>) {
  const { index, question, names } = of;
  const until = <Time at={lookedUntil} />;
  return (
    <Line icon={state === 'open' ? 'hourglass' : 'close'}>
      <p>
        {index === 0 ? (
          <>
            Did not do <Event {...of} /> in this time.
          </>
        ) : state === 'open' ? (
          <>
            May still do <Event {...of} />, until {until}.
          </>
        ) : (
          <>
            Did not do <Event {...of} /> by {until}, {durationText(question.window)} after the last
            time they began.
          </>
        )}
      </p>
      {nextAfterwards !== undefined && (
        <p className="soft small" title={`Event ${nextAfterwards.eventId}`}>
          It came {formatDuration(nextAfterwards.at - lookedUntil)} too late, on{' '}
          <Time at={nextAfterwards.at} />.
        </p>
      )}
      {refusals(rejected).map(([pointer, eventIds]) => (
        <p key={pointer} className="soft small" title={eventIds.join(', ')}>
          {counted(eventIds.length, 'event came in time but is', 'events came in time but are')} not
          “{comparisonText(question, pointer, names)}”.
        </p>
      ))}
    </Line>
  );
}

function refusals(rejected: MissingStep['rejected']): readonly [string, readonly string[]][] {
  const by = new Map<string, string[]>();
  for (const { pointer, eventId } of rejected)
    by.set(pointer, [...(by.get(pointer) ?? []), eventId]);
  return [...by];
}

/** `/steps/2/where/0` in words. */
function comparisonText({ steps }: FunnelQuestion, pointer: string, names: Names): string {
  const [, step, where] = /^\/steps\/(\d+)\/where\/(\d+)/.exec(pointer) ?? [];
  const comparison = steps[Number(step)]?.where?.[Number(where)];
  return comparison === undefined ? pointer : describeCondition(comparison, names);
}
