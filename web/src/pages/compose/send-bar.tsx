import { channelName } from '../../labels/channel-name.ts';
import { counted, formatLocalTime, formatTime, humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { useSegments } from '../segments/use-segments.ts';
import { listMissing, type Draft } from './draft.ts';
import { estimateText, type AudienceReach } from './reach.tsx';
import { listMissingPeople, type ResolvedPeople } from './use-resolved.ts';

type SendBarProps = {
  readonly draft: Draft;
  readonly reach: AudienceReach;
  readonly people: ResolvedPeople;
  readonly isChecking: boolean;
  readonly isSending: boolean;
  readonly onSend: () => void;
  /** The form of the steps, which checks the audience. */
  readonly formId: string;
};

/**
 * What would be sent, to whom and when, and the buttons that do it. In sight while the page scrolls.
 * Nothing is confirmed, because both what is sent and what is scheduled can be taken back.
 */
export function SendBar(props: SendBarProps) {
  const { draft, reach, people, isChecking, isSending, onSend, formId } = props;
  const audience = useAudienceName(draft, { reach, people });
  const verb = draft.when === 'now' ? 'Send' : 'Schedule';
  const missing = [...listMissing(draft), ...listMissingPeople(people)];
  const isReady = missing.length === 0;
  const action = isReady ? `${verb} to ${audience}` : verb;
  return (
    <div className="send-bar" role="group" aria-label="Send">
      <p className="soft">
        {isReady ? (
          <>
            <strong dir="auto">{audience}</strong> · {channelName(draft.channel)},{' '}
            {humanize(draft.purpose).toLowerCase()} · {describeTime(draft)}
          </>
        ) : (
          `Required: ${missing.join(', ')}`
        )}
      </p>
      <div className="row">
        <Button type="submit" form={formId} isBusy={isChecking} disabled={!isReady}>
          Check audience
        </Button>
        <Button kind="primary" disabled={!isReady} isBusy={isSending} onClick={onSend}>
          {action}
        </Button>
      </div>
    </div>
  );
}

/** As it stands on a button: `12,318 people`. */
function useAudienceName(
  draft: Draft,
  { reach: { all }, people }: Pick<SendBarProps, 'reach' | 'people'>,
): string {
  const segments = useSegments(draft.to === 'segment')?.items;
  if (draft.to === 'users') return counted(people.ids.length, 'person', 'people');
  if (all !== undefined)
    return `${estimateText(all.estimate)} ${all.estimate.count === 1 ? 'person' : 'people'}`;
  if (draft.to !== 'segment')
    return draft.to === 'everyone' ? 'everyone' : 'all who meet the conditions';
  const { segment } = draft;
  return `segment “${isolate(segments?.find(({ slug }) => slug === segment)?.name ?? segment)}”`;
}

function describeTime({ when, time }: Draft): string {
  if (when === 'now') return 'now';
  return when === 'at'
    ? `at ${formatTime(new Date(time).getTime(), Date.now())}`
    : `at ${formatLocalTime(time, Date.now())} in each recipient’s time zone`;
}
