import type { CampaignSchedule } from '@tidings/contracts';
import { counted } from '../../lib/format.ts';
import { Time } from '../../ui/time.tsx';

/** When a scheduled campaign begins, or began. */
export function Begins({
  schedule: { sendAt, sendAtLocal, localTimePassed },
}: {
  readonly schedule: CampaignSchedule;
}) {
  if (sendAtLocal === null) return <Time at={sendAt} />;
  return (
    <>
      {sendAtLocal.replace('T', ' ')} in the time zone of each recipient, first <Time at={sendAt} />
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
