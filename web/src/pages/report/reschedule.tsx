import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { toLocalText } from '../../lib/local-time.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { ScheduleFields } from '../compose/schedule-fields.tsx';
import { toSchedule, type SendTime } from '../compose/send-time.ts';

/** Gives a scheduled campaign another time, of the kind that it has or of the other one. */
export function Reschedule({ campaignId, schedule }: Pick<Campaign, 'campaignId' | 'schedule'>) {
  const [edited, setEdited] = useState<SendTime | null>(null);
  const change = useChange<SendTime>(
    (time) => ({ path: `campaigns/${campaignId}`, method: 'PATCH', body: toSchedule(time) }),
    ['campaigns'],
  );
  if (!useMay('controlCampaigns') || schedule === null) return null;
  const { sendAt, sendAtLocal } = schedule;
  return (
    <>
      <Button
        onClick={() => {
          change.reset();
          setEdited(
            sendAtLocal === null
              ? { when: 'at', time: toLocalText(sendAt) }
              : { when: 'local', time: sendAtLocal },
          );
        }}
      >
        Change time
      </Button>
      {edited !== null && (
        <FormDialog
          title="Change when it is sent"
          action="Change time"
          isIncomplete={edited.time === ''}
          change={change}
          onClose={() => setEdited(null)}
          onSubmit={() =>
            change.mutate(edited, {
              onSuccess: () => {
                setEdited(null);
                showToast('Time changed');
              },
            })
          }
        >
          <ScheduleFields
            value={edited}
            isScheduled
            onChange={(changes) => setEdited({ ...edited, ...changes })}
          />
        </FormDialog>
      )}
    </>
  );
}
