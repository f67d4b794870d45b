import { countRetriable } from '@tidings/contracts/push/campaign-result';
import type { CampaignAction } from '@tidings/contracts/push/campaigns';
import { useState } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { counted, formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';

const SUCCESS_MESSAGES: Readonly<Record<CampaignAction, string>> = {
  pause: 'Paused',
  resume: 'Resumed',
  cancel: 'Canceled',
  'retry-failed': 'Retrying failed',
};

/** The actions that the campaign's state permits. */
function availableActions({
  status,
  failures,
}: Pick<Campaign, 'status' | 'failures'>): readonly CampaignAction[] {
  if (status === 'scheduled' || status === 'queued') return ['cancel'];
  if (status === 'sending') return ['pause', 'cancel'];
  if (status === 'paused') return ['resume', 'cancel'];
  // Nothing has changed for the others: an unknown user, or an address that does not exist.
  if (status === 'completed' && countRetriable(failures) > 0) return ['retry-failed'];
  return [];
}

const labelOf = (action: CampaignAction, { failures }: Campaign): string =>
  ({
    pause: 'Pause',
    resume: 'Resume',
    cancel: 'Cancel campaign',
    'retry-failed': `Retry ${formatCount(countRetriable(failures))} that may succeed`,
  })[action];

function describeCancel({ audience, counts }: Campaign): string {
  if (audience !== null && audience.snapshotAt === null)
    return 'Its users have not been read yet: no message is sent.';
  return `${counted(counts.pending, 'recipient has', 'recipients have')} not been sent the message and won’t receive it. Messages already on their way still arrive.`;
}

/** `isSmall`: in the row of a list, for a campaign that waits or runs. */
export function CampaignActions({
  campaign,
  isSmall = false,
}: {
  readonly campaign: Campaign;
  readonly isSmall?: boolean;
}) {
  const [pendingAction, setPendingAction] = useState<CampaignAction | null>(null);
  const may = useMay('controlCampaigns');
  const act = useChange<CampaignAction>(
    (action) => ({ path: `campaigns/${campaign.campaignId}/${action}`, method: 'POST' }),
    ['campaigns'],
  );
  const run = (action: CampaignAction): void =>
    act.mutate(action, {
      onSuccess: () => {
        setPendingAction(null);
        showToast(SUCCESS_MESSAGES[action]);
      },
      onError: (error) => {
        if (action === 'pause' || action === 'resume') showToast(errorMessage(error), 'bad');
      },
    });
  if (!may) return null;
  const actions = availableActions(campaign).filter(
    (action) => !isSmall || action !== 'retry-failed',
  );
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action}
          isSmall={isSmall}
          kind={action === 'cancel' ? 'danger' : undefined}
          isBusy={act.isPending && act.variables === action}
          onClick={() => {
            act.reset();
            if (action === 'pause' || action === 'resume') run(action);
            else setPendingAction(action);
          }}
        >
          {isSmall && action === 'cancel' ? 'Cancel' : labelOf(action, campaign)}
        </Button>
      ))}
      {pendingAction === 'cancel' && (
        <Confirm
          title="Cancel this campaign?"
          action="Cancel campaign"
          dismiss="Keep campaign"
          change={act}
          onConfirm={() => run('cancel')}
          onClose={() => setPendingAction(null)}
        >
          <p>{describeCancel(campaign)} This can’t be undone.</p>
        </Confirm>
      )}
      {pendingAction === 'retry-failed' && (
        <Confirm
          title="Retry failed messages?"
          action="Retry failed"
          isDangerous={false}
          change={act}
          onConfirm={() => run('retry-failed')}
          onClose={() => setPendingAction(null)}
        >
          <p>
            Tries all messages again that failed and that no provider accepted:{' '}
            {counted(countRetriable(campaign.failures), 'message', 'messages')} may succeed now, the
            others fail as before. No recipient gets the message twice.
          </p>
        </Confirm>
      )}
    </>
  );
}
