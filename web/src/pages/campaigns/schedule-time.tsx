import type { CampaignSchedule } from '@tidings/contracts/push/push-schedule';
import { formatLocalTime } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { Time } from '../../ui/time.tsx';
import { waitsForZones, type ZonedCampaign } from './own-zone.ts';

/** When a campaign begins: an instant, or the same local time for each recipient. */
export function ScheduleTime({
  schedule: { sendAt, sendAtLocal },
}: {
  readonly schedule: CampaignSchedule;
}) {
  const now = useNow();
  if (sendAtLocal === null) return <Time at={sendAt} />;
  return (
    <>
      <time className="nowrap" dateTime={sendAtLocal}>
        {formatLocalTime(sendAtLocal, now)}
      </time>{' '}
      in each recipient’s time zone
    </>
  );
}

/** The same in a line of a list. */
export function ShortSchedule({
  schedule: { sendAt, sendAtLocal },
}: {
  readonly schedule: CampaignSchedule;
}) {
  const now = useNow();
  return sendAtLocal === null ? (
    <>
      Begins <Time at={sendAt} />
    </>
  ) : (
    <>
      {formatLocalTime(sendAtLocal, now)}, <span className="soft">each in their zone</span>
    </>
  );
}

/** The time of a campaign that waits for it, below its status in lists. */
export function ScheduledFor({ campaign }: { readonly campaign: ZonedCampaign }) {
  const now = useNow();
  const { status, schedule } = campaign;
  if (schedule === null) return null;
  if (status !== 'scheduled' && waitsForZones(campaign, now) === null) return null;
  return (
    <div className="soft small">
      for <ScheduleTime schedule={schedule} />
    </div>
  );
}
