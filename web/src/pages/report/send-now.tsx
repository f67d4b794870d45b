import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';

/** Begins a scheduled campaign at once, for all its people. */
export function SendNow({
  campaign: { campaignId, schedule },
}: {
  readonly campaign: Pick<Campaign, 'campaignId' | 'schedule'>;
}) {
  const [isAsked, setAsked] = useState(false);
  const send = useChange<void>(
    () => ({ path: `campaigns/${campaignId}`, method: 'PATCH', body: { sendAt: Date.now() } }),
    ['campaigns'],
  );
  if (!useMay('controlCampaigns')) return null;
  return (
    <>
      <Button
        onClick={() => {
          send.reset();
          setAsked(true);
        }}
      >
        Send now
      </Button>
      {isAsked && (
        <Confirm
          title="Send it now?"
          action="Send now"
          isDangerous={false}
          change={send}
          onConfirm={() =>
            send.mutate(undefined, {
              onSuccess: () => {
                setAsked(false);
                showToast('Begins now');
              },
            })
          }
          onClose={() => setAsked(false)}
        >
          <p>
            It begins within seconds
            {schedule?.sendAtLocal == null
              ? '.'
              : ', at this moment for all, not at their own time.'}
          </p>
        </Confirm>
      )}
    </>
  );
}
