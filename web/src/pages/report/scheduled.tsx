import {
  localTimeBounds,
  localTimeMs,
  type CampaignSchedule,
} from '@tidings/contracts/push/push-schedule';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { Link } from '@tanstack/react-router';
import { useQuestion } from '../../api/queries.ts';
import type { Campaign, CampaignReport, SegmentPreview } from '../../api/types.ts';
import { counted, formatCount, formatDuration } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { Card } from '../../ui/card.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';
import { Time } from '../../ui/time.tsx';
import { nameLiquid } from '../campaigns/name-liquid.ts';
import { ScheduleTime } from '../campaigns/schedule-time.tsx';
import { FigureCell } from './figures.tsx';
import { OriginCard } from './origin.tsx';

type ScheduledProps = { readonly report: CampaignReport; readonly schedule: CampaignSchedule };

/** A campaign that waits for its time: when it begins, for whom, and what they will get. */
export function Scheduled({ report: { campaign }, schedule }: ScheduledProps) {
  return (
    <>
      <dl className="figures">
        <Countdown schedule={schedule} />
        <People campaign={campaign} />
      </dl>
      <div className="columns">
        <Card
          title="Message"
          {...(campaign.templates !== null && {
            description: 'Before values are filled in.',
            actions: (
              <Link to="." search={{ tab: 'message' } as never}>
                Preview for a user
              </Link>
            ),
          })}
        >
          <MessagePreview
            channel={campaign.channel}
            message={withNamedLiquid(campaign)}
            isMarketing={campaign.purpose === 'marketing'}
          />
        </Card>
        <OriginCard campaign={campaign} />
      </div>
    </>
  );
}

/** The title as lists have it, until a user is chosen. */
function withNamedLiquid({ message, templates }: Campaign): Campaign['message'] {
  return templates === null || message.title == null
    ? message
    : { ...message, title: nameLiquid(message.title) };
}

function Countdown({ schedule }: Pick<ScheduledProps, 'schedule'>) {
  const now = useNow();
  const { sendAt, sendAtLocal } = schedule;
  const localMs = sendAtLocal === null ? null : localTimeMs(sendAtLocal);
  const when = <ScheduleTime schedule={schedule} />;
  if (localMs === null)
    return <FigureCell name="Begins in" value={untilText(sendAt, now)} base={when} />;
  const { last } = localTimeBounds(localMs);
  return (
    <>
      <FigureCell name="First people in" value={untilText(sendAt, now)} base={when} />
      <FigureCell
        name="Last people in"
        value={untilText(last, now)}
        base={
          <>
            <Time at={last} form="clock" />, when the last time zone has it
          </>
        }
      />
    </>
  );
}

const MINUTE_MS = 60_000;

/** To the minute: seconds would make a reader wait for them. */
const untilText = (at: number, now: number): string =>
  at - now < MINUTE_MS
    ? 'a moment'
    : formatDuration(Math.floor((at - now) / MINUTE_MS) * MINUTE_MS);

/** Whom it is for: of a list its number, of a segment an estimate of now. */
function People({ campaign: { audience, recipients } }: { readonly campaign: Campaign }) {
  const asked = audience === null ? null : conditionOf(audience);
  const { data, error } = useQuestion<SegmentPreview>(
    'segments/preview',
    { condition: asked },
    asked !== null,
  );
  if (audience === null)
    return (
      <FigureCell
        name="Will get it"
        value={formatCount(recipients.unique)}
        base={`${recipients.unique === 1 ? 'person' : 'people'} on its list`}
      />
    );
  const estimate = data?.estimate;
  return (
    <FigureCell
      name="Will get it, about"
      value={estimate === undefined ? (error === null ? '…' : '–') : formatCount(estimate.count)}
      base={
        estimate === undefined || estimate.isExact
          ? 'now in the audience, which is read again when it begins'
          : `between ${formatCount(estimate.low)} and ${counted(estimate.high, 'person', 'people')}, read again when it begins`
      }
    />
  );
}

/** The condition of an audience, also before its segments are read. */
function conditionOf({
  segment,
  condition,
  exclude,
}: NonNullable<Campaign['audience']>): Condition | null {
  const included = segment === null ? condition : { segment };
  if (included === null) return null;
  return exclude === null ? included : { all: [included, { not: { segment: exclude.segment } }] };
}
