import type { CampaignSchedule } from '@tidings/contracts/push/push-schedule';
import { counted } from '../../lib/format.ts';
import { Time } from '../../ui/time.tsx';
import { ScheduleTime } from '../campaigns/schedule-time.tsx';

/** When a scheduled campaign begins, or began. */
export function Begins({ schedule }: { readonly schedule: CampaignSchedule }) {
  const { sendAt, sendAtLocal, localTimePassed } = schedule;
  return (
    <>
      <ScheduleTime schedule={schedule} />
      {sendAtLocal !== null && (
        <>
          , first <Time at={sendAt} />
        </>
      )}
      {localTimePassed > 0 && (
        <div className="soft small">
          For{' '}
          {counted(
            localTimePassed,
            'recipient it had passed and the message was',
            'recipients it had passed and their messages were',
          )}{' '}
          sent at once.
        </div>
      )}
    </>
  );
}
