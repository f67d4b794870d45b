import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { ownTimeZone } from '../../lib/own-time-zone.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';

/** Gives a scheduled campaign another time. */
export function Reschedule({ campaignId, schedule }: Pick<Campaign, 'campaignId' | 'schedule'>) {
  const [time, setTime] = useState<string | null>(null);
  const change = useChange<string>(
    (at) => ({
      path: `campaigns/${campaignId}`,
      method: 'PATCH',
      body: { sendAt: new Date(at).getTime() },
    }),
    ['campaigns'],
  );
  if (!useMay('controlCampaigns') || schedule === null) return null;
  return (
    <>
      <Button
        onClick={() => {
          change.reset();
          setTime(toInputTime(schedule.sendAt));
        }}
      >
        Change time
      </Button>
      {time !== null && (
        <FormDialog
          title="Change when it is sent"
          action="Change time"
          isIncomplete={time === ''}
          change={change}
          onClose={() => setTime(null)}
          onSubmit={() =>
            change.mutate(time, {
              onSuccess: () => {
                setTime(null);
                showToast('Time changed');
              },
            })
          }
        >
          <TextField
            label="Time"
            type="datetime-local"
            dir="ltr"
            pointer="/sendAt"
            value={time}
            onChange={setTime}
            hint={
              schedule.sendAtLocal === null
                ? `In your time zone, ${ownTimeZone()}`
                : `In your time zone, ${ownTimeZone()}. All recipients will get it at this moment, instead of at their local time.`
            }
          />
        </FormDialog>
      )}
    </>
  );
}

const MINUTE_MS = 60_000;

/** An instant as the value of an input, in the time zone of this browser. */
function toInputTime(at: number): string {
  const local = at - new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(local).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
