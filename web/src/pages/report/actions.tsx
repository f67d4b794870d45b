import type { CampaignAction } from '@tidings/contracts';
import { useState } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';

const SUCCESS_MESSAGES: Readonly<Record<CampaignAction, string>> = {
  pause: 'Paused.',
  resume: 'Going on.',
  cancel: 'Canceled.',
  'retry-failed': 'Trying the failed again.',
};

/** Which actions a campaign takes now. */
export function availableActions({
  status,
  counts,
}: Pick<Campaign, 'status' | 'counts'>): readonly CampaignAction[] {
  if (status === 'queued') return ['cancel'];
  if (status === 'sending') return ['pause', 'cancel'];
  if (status === 'paused') return ['resume', 'cancel'];
  if (status === 'completed' && counts.failed > 0) return ['retry-failed'];
  return [];
}

const NAMES: Readonly<Record<CampaignAction, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  'retry-failed': 'Retry failed',
};

export function CampaignActions({ campaign }: { readonly campaign: Campaign }) {
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
  return (
    <>
      {availableActions(campaign).map((action) => (
        <Button
          key={action}
          kind={action === 'cancel' ? 'danger' : undefined}
          isBusy={act.isPending && act.variables === action}
          onClick={() => {
            act.reset();
            if (action === 'pause' || action === 'resume') run(action);
            else setPendingAction(action);
          }}
        >
          {NAMES[action]}
        </Button>
      ))}
      {pendingAction === 'cancel' && (
        <Confirm
          title="Cancel this campaign?"
          action="Cancel the campaign"
          change={act}
          onConfirm={() => run('cancel')}
          onClose={() => setPendingAction(null)}
        >
          <p>
            {formatCount(campaign.counts.pending)} recipients were not sent anything yet, and will
            not be. What is in flight still arrives. This cannot be undone.
          </p>
        </Confirm>
      )}
      {pendingAction === 'retry-failed' && (
        <Confirm
          title="Try the failed again?"
          action="Retry failed"
          isDangerous={false}
          change={act}
          onConfirm={() => run('retry-failed')}
          onClose={() => setPendingAction(null)}
        >
          <p>
            Of the {formatCount(campaign.counts.failed)} failed, those that no provider ever
            accepted are tried once more, with all their attempts. Nobody gets the message twice.
          </p>
        </Confirm>
      )}
    </>
  );
}
