import type { CampaignAction, CampaignStatus } from '@tidings/contracts/push/campaigns';

type Transition = {
  readonly from: readonly CampaignStatus[];
  readonly to: CampaignStatus;
  readonly event: string;
};

/**
 * All transitions between campaign statuses, with their event-log entries. No statement uses
 * another one.
 */
const TRANSITIONS = {
  start: { from: ['queued'], to: 'sending', event: 'campaign.started' },
  fail: { from: ['queued'], to: 'failed', event: 'campaign.failed' },
  complete: { from: ['sending'], to: 'completed', event: 'campaign.completed' },
  pause: { from: ['sending'], to: 'paused', event: 'campaign.paused' },
  resume: { from: ['paused'], to: 'sending', event: 'campaign.resumed' },
  cancel: {
    from: ['scheduled', 'queued', 'sending', 'paused'],
    to: 'canceled',
    event: 'campaign.canceled',
  },
  'retry-failed': { from: ['completed'], to: 'sending', event: 'campaign.retried' },
} as const satisfies Record<CampaignAction | 'start' | 'fail' | 'complete', Transition>;
export type TransitionName = keyof typeof TRANSITIONS;

/** Whether the status allows the transition. */
export function isLegal(name: TransitionName, status: CampaignStatus): boolean {
  const from: readonly CampaignStatus[] = TRANSITIONS[name].from;
  return from.includes(status);
}
