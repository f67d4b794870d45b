import type { DryRunAnswer, SegmentDryRunAnswer } from '@tidings/contracts/push/campaigns';
import { channelName } from '../../labels/channel-name.ts';
import { counted, formatCount, formatLocalTime, formatTime, humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { useSegments } from '../segments/use-segments.ts';
import { listMissing, type Draft } from './draft.ts';
import { estimateText, type AudienceReach } from './reach.tsx';
import { listMissingPeople, type ResolvedPeople } from './use-resolved.ts';

type SendBarProps = {
  readonly draft: Draft;
  readonly reach: AudienceReach;
  readonly people: ResolvedPeople;
  readonly check: {
    readonly isPending: boolean;
    readonly data?: DryRunAnswer | SegmentDryRunAnswer | undefined;
  };
  readonly send: { readonly isPending: boolean };
  readonly isConfirming: boolean;
  readonly onConfirming: (isConfirming: boolean) => void;
  readonly onSend: () => void;
  /** The form of the steps, which checks the audience. */
  readonly formId: string;
};

/** What would be sent, to whom and when, and the buttons that do it. In sight while the page scrolls. */
export function SendBar(props: SendBarProps) {
  const { draft, reach, people, check, send, isConfirming, onConfirming, onSend, formId } = props;
  const audience = useAudienceName(draft, { reach, people });
  const verb = draft.when === 'now' ? 'Send' : 'Schedule';
  const missing = [...listMissing(draft), ...listMissingPeople(people)];
  const isReady = missing.length === 0;
  const action = isReady ? `${verb} to ${audience.short}` : verb;
  return (
    <div className="send-bar" role="group" aria-label="Send">
      <p className="soft">
        {isReady ? (
          <>
            <strong dir="auto">{audience.short}</strong> · {channelName(draft.channel)},{' '}
            {humanize(draft.purpose).toLowerCase()} · {describeTime(draft)}
          </>
        ) : (
          `Required: ${missing.join(', ')}`
        )}
      </p>
      <div className="row">
        <Button type="submit" form={formId} isBusy={check.isPending} disabled={!isReady}>
          Check audience
        </Button>
        <Button
          kind="primary"
          disabled={!isReady}
          isBusy={send.isPending}
          // What is scheduled can be taken back.
          onClick={() => (draft.when === 'now' ? onConfirming(true) : onSend())}
        >
          {action}
        </Button>
      </div>
      {isConfirming && (
        <Confirm
          title={`Send by ${channelName(draft.channel)}?`}
          action={action}
          isDangerous={false}
          change={{ isPending: send.isPending }}
          onConfirm={onSend}
          onClose={() => onConfirming(send.isPending)}
        >
          <p>
            The message will be sent to {audience.long} now.{' '}
            {check.data === undefined
              ? 'You haven’t checked the audience yet.'
              : describeReach(check.data)}
          </p>
        </Confirm>
      )}
    </div>
  );
}

/** `short`: on a button, `12,318 people`; `long`: in a sentence. */
function useAudienceName(
  draft: Draft,
  { reach: { all }, people }: Pick<SendBarProps, 'reach' | 'people'>,
): { readonly short: string; readonly long: string } {
  const segments = useSegments(draft.to === 'segment')?.items;
  if (draft.to === 'users') {
    const short = counted(people.ids.length, 'person', 'people');
    return { short, long: short };
  }
  const number =
    all === undefined
      ? null
      : `${estimateText(all.estimate)} ${all.estimate.count === 1 ? 'person' : 'people'}`;
  if (draft.to === 'segment') {
    const { segment } = draft;
    const name = `segment “${isolate(segments?.find(({ slug }) => slug === segment)?.name ?? segment)}”`;
    return { short: number ?? name, long: number === null ? name : `${name}, ${number},` };
  }
  const name = draft.to === 'everyone' ? 'everyone' : 'all who meet the conditions';
  return { short: number ?? name, long: number === null ? name : `${name}, ${number},` };
}

function describeTime({ when, time }: Draft): string {
  if (when === 'now') return 'now';
  return when === 'at'
    ? `at ${formatTime(new Date(time).getTime(), Date.now())}`
    : `at ${formatLocalTime(time, Date.now())} in each recipient’s time zone`;
}

function describeReach(answer: DryRunAnswer | SegmentDryRunAnswer): string {
  const { reachable, recipients, unrenderable = {} } = answer;
  if (reachable === 0) return 'None of them can be reached.';
  const all = 'unique' in recipients ? recipients.unique : recipients.count;
  const reached =
    reachable === all
      ? 'All of them can be reached.'
      : `${formatCount(reachable ?? 0)} of them can be reached.`;
  return Object.values(unrenderable).some((count) => count > 0)
    ? `${reached} Some lack a value of the message, and may get none.`
    : reached;
}
