import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { FollowingEvent } from '@tidings/contracts/segments/leaves/event';
import { useEffect, useState } from 'react';
import { readFieldErrors } from '../../api/problem.ts';
import { useChange, useQuestion } from '../../api/queries.ts';
import type { SegmentCount, SegmentPreview } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { counted, formatCount, formatShare, humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Card, Facts } from '../../ui/card.tsx';
import { QuestionError } from '../../ui/question-error.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { PeoplePanel } from '../people/people-panel.tsx';
import { toPartCounts } from '../../conditions/builder-context.ts';
import { durationText } from '../../conditions/duration.ts';
import { isComplete } from '../../conditions/new-condition.ts';
import { readAt } from '../../conditions/place.ts';
import { eventName, type Names } from '../../conditions/describe-condition.ts';

/** The last change of a condition is asked after this time without another. */
const TYPING_MS = 400;

export function usePreview(condition: Condition) {
  const settled = useSettled(condition, TYPING_MS);
  const { data, error, refetch, isPlaceholderData } = useQuestion<SegmentPreview>(
    'segments/preview',
    { condition: settled, parts: true },
    isComplete(settled),
  );
  const isCurrent = settled === condition;
  return {
    data,
    // Of what was changed since, errors and places are out of date.
    error: isCurrent ? error : null,
    parts: isCurrent && !isPlaceholderData ? toPartCounts(data) : null,
    refetch,
  };
}

type PreviewProps = {
  readonly condition: Condition;
  readonly names: Names;
  readonly read: ReturnType<typeof usePreview>;
};

/** Who satisfies a condition, while it is being edited. The last answer stays until the next one. */
export function Preview({ condition, names, read }: PreviewProps) {
  const { data, error, refetch } = read;
  const count = useChange<Condition, SegmentCount>(
    (asked) => ({ path: 'segments/count', method: 'POST', body: { condition: asked } }),
    [],
  );
  const { reset } = count;
  useEffect(reset, [condition, reset]);
  const isReady = isComplete(condition);
  return (
    <Card title="Members" description="Registered users who satisfy the condition now.">
      <div role="status" className="stack tight">
        {!isReady ? (
          <p className="soft">Fill in all conditions to see who satisfies them.</p>
        ) : error !== null && readFieldErrors(error).length > 0 ? (
          <p className="soft">The condition has a fault: see the marked fields.</p>
        ) : error !== null ? (
          <QuestionError error={error} onRetry={refetch} />
        ) : data === undefined ? (
          <p className="soft">Counting…</p>
        ) : (
          <>
            <Estimate {...data} condition={condition} />
            <StillOpen {...{ condition, names }} preview={data} />
          </>
        )}
      </div>
      {isReady && data !== undefined && error === null && (
        <>
          {data.warnings.map(({ code, pointer, detail }) => (
            <Callout key={`${code} ${pointer}`} tone="warn">
              <p className="small">
                <strong>{humanize(code)}.</strong> {detail}
              </p>
            </Callout>
          ))}
          <div className="row">
            <Button isBusy={count.isPending} onClick={() => count.mutate(condition)}>
              Count whom each channel reaches
            </Button>
          </div>
          {count.error !== null && (
            <QuestionError error={count.error} onRetry={() => count.mutate(condition)} />
          )}
          {count.data !== undefined && <Reach {...count.data} />}
        </>
      )}
    </Card>
  );
}

function Estimate({
  estimate: { count, low, high, isExact },
  condition,
}: SegmentPreview & { readonly condition: Condition }) {
  const [isOpen, setOpen] = useState(false);
  const number = `${isExact ? '' : '≈ '}${formatCount(count)}`;
  return (
    <>
      <p className="figure-line">
        <button
          type="button"
          className="number"
          aria-expanded={isOpen}
          onClick={() => setOpen(true)}
        >
          {number} {count === 1 ? 'user' : 'users'}
        </button>
      </p>
      {!isExact && (
        <p className="soft small">
          Between {formatCount(low)} and {formatCount(high)}, with 95 % certainty.
        </p>
      )}
      {isOpen && (
        <PeoplePanel
          title="Members"
          count={number}
          source={{ condition }}
          fileName="members.csv"
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Members of a sequence who may do the other event yet: they are written to too early. */
function StillOpen({
  condition,
  names,
  preview: { stillOpen, estimate },
}: Pick<PreviewProps, 'condition' | 'names'> & { readonly preview: SegmentPreview }) {
  return stillOpen.map(({ pointer, count }) => {
    const step = readAt({ condition }, pointer.split('/').slice(1)) as FollowingEvent | undefined;
    // Of a condition that was changed since.
    if (step?.event === undefined || step.in === undefined) return null;
    return (
      <p key={pointer} className="soft small">
        {estimate.isExact ? '' : '≈ '}
        {formatCount(count)} of them may still do “{isolate(eventName(step.event, names))}”:{' '}
        {durationText(step.in)} are not over.
      </p>
    );
  });
}

function Reach({ count, reachable }: SegmentCount) {
  return (
    <Facts
      facts={[
        ['Exactly', counted(count, 'user', 'users')],
        ...CHANNELS.map((channel) => {
          const reached = reachable[channel];
          return [
            channelName(channel),
            `${formatCount(reached)}${count > 0 ? ` (${formatShare(reached, count)})` : ''}`,
          ] as const;
        }),
      ]}
    />
  );
}
