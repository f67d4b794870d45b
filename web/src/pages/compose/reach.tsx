import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { useMemo, useState } from 'react';
import { readFieldErrors } from '../../api/problem.ts';
import { useQuestion } from '../../api/queries.ts';
import type { SegmentCount, SegmentPreview } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { counted, formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { QuestionError } from '../../ui/question-error.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { PeoplePanel } from '../people/people-panel.tsx';
import { toPartCounts, type PartCounts } from '../../conditions/builder-context.ts';
import { EVERYONE } from '../../conditions/everyone.ts';
import { audienceCondition } from './audience.ts';
import type { Draft } from './draft.ts';

/** The last change of an audience is asked after this time without another. */
const TYPING_MS = 400;

/** How many people an audience has, and how many of them the channel of the draft reaches. */
export type AudienceReach = {
  readonly channel: Channel;
  /** Null: there is no audience to ask about. */
  readonly asked: Condition | null;
  readonly all: SegmentPreview | undefined;
  /** Undefined until it is known. */
  readonly reached: SegmentPreview['estimate'] | undefined;
  /** Of own conditions. */
  readonly parts: PartCounts | null;
  /** Faults of own conditions. */
  readonly faults: readonly FieldError[];
  /** Why there is no answer; null for a fault of the conditions. */
  readonly error: Error | null;
  readonly refetch: () => void;
};

/** Follows each change of the draft: both numbers are estimates, in which a minute's changes may lack. */
export function useReach(draft: Draft): AudienceReach {
  const { channel, purpose, to, segment, condition, exclude, recipients, recheck } = draft;
  const asked = useMemo(
    () => audienceCondition({ to, segment, condition, exclude, recipients, recheck }),
    [to, segment, condition, exclude, recipients, recheck],
  );
  const settled = useSettled(asked, TYPING_MS);
  const reachable: Condition = { reachable: channel, purpose };
  const all = useEstimate(settled, to === 'condition');
  const ownPointer = exclude === '' ? '/condition' : '/condition/all/0';
  const reached = useEstimate(settled === null ? null : { all: [settled, reachable] });
  const isCurrent = settled === asked && asked !== null;
  const faults = readFieldErrors(all.error).map((fault) => ({
    ...fault,
    pointer: fault.pointer.replace(ownPointer, '/segment/condition'),
  }));
  return {
    channel,
    asked,
    all: isCurrent ? all.data : undefined,
    reached: isCurrent ? reached.data?.estimate : undefined,
    parts: isCurrent && !all.isPlaceholderData ? toPartCounts(all.data, ownPointer) : null,
    faults: isCurrent ? faults : [],
    error: isCurrent && faults.length === 0 ? (all.error ?? reached.error) : null,
    refetch: () => void Promise.all([all.refetch(), reached.refetch()]),
  };
}

/** An estimate; of few people, whom drawn users say little about, their exact number as soon as it is known. */
function useEstimate(condition: Condition | null, hasParts = false) {
  const asked = condition ?? EVERYONE;
  const preview = useQuestion<SegmentPreview>(
    'segments/preview',
    { condition: asked, ...(hasParts && { parts: true }) },
    condition !== null,
  );
  const isFew =
    preview.data !== undefined && !preview.isPlaceholderData && isVague(preview.data.estimate);
  const exact = useQuestion<SegmentCount>('segments/count', { condition: asked }, isFew);
  if (!isFew || exact.data === undefined || exact.isPlaceholderData) return preview;
  const { count } = exact.data;
  return {
    ...preview,
    data: { ...preview.data, estimate: { count, low: count, high: count, isExact: true } },
  };
}

/** Whether there may be twice as many. */
const isVague = ({ low, high, isExact }: SegmentPreview['estimate']): boolean =>
  !isExact && high > 2 * low;

/** The number as a text: `≈ 12,318`. */
export const estimateText = ({ count, isExact }: SegmentPreview['estimate']): string =>
  `${isExact ? '' : '≈ '}${formatCount(count)}`;

/** The numbers in a line, and the people behind them. */
export function Reach({ reach }: { readonly reach: AudienceReach }) {
  const { asked, all, reached, channel, error, faults, refetch } = reach;
  const [isOpen, setOpen] = useState(false);
  if (asked === null || faults.length > 0) return null;
  if (error !== null) return <QuestionError error={error} onRetry={refetch} />;
  return (
    <div className="reach">
      <div className="row" role="status">
        {all === undefined ? (
          <span className="soft">Counting…</span>
        ) : (
          <ReachNumbers all={all.estimate} reached={reached} channel={channel} />
        )}
        {all !== undefined && all.estimate.count > 0 && (
          <Button kind="plain" isSmall aria-expanded={isOpen} onClick={() => setOpen(true)}>
            See who
          </Button>
        )}
      </div>
      {isOpen && all !== undefined && asked !== null && (
        <PeoplePanel
          title="Audience"
          count={estimateText(all.estimate)}
          source={{ condition: asked }}
          fileName="audience.csv"
          isAudience
          onClose={() => setOpen(false)}
        />
      )}
      {all?.warnings.map(({ code, pointer, detail }) => (
        <p key={`${code} ${pointer}`} className="small warn-text">
          {detail}
        </p>
      ))}
    </div>
  );
}

function ReachNumbers({
  all,
  reached,
  channel,
}: {
  readonly all: SegmentPreview['estimate'];
  readonly reached: SegmentPreview['estimate'] | undefined;
  readonly channel: Channel;
}) {
  if (reached === undefined)
    return (
      <span>
        <strong className="reach-number">{estimateText(all)}</strong>{' '}
        {all.count === 1 ? 'person' : 'people'}
      </span>
    );
  const share = all.count === 0 ? 0 : Math.min(1, reached.count / all.count);
  const others = Math.max(0, all.count - reached.count);
  return (
    <>
      <span>
        <strong className="reach-number">{estimateText(reached)}</strong> of {estimateText(all)} can
        be reached by {channelName(channel)}
      </span>
      <span className="reach-bar" aria-hidden="true">
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
      {others > 0 && (
        <span className="soft">{counted(others, 'person', 'people')} can’t be reached now</span>
      )}
    </>
  );
}
