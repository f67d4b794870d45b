import { UNREACHABLE_REASONS } from '@tidings/contracts';
import type { Campaign } from '../../api/types.ts';

export type Step = { readonly name: string; readonly count: number };

/** How far the campaign came, each step a part of the one before. Who is reachable follows from why others failed. */
export function funnelOf({ recipients, counts, failures, funnel = {} }: Pick<Campaign, 'recipients' | 'counts' | 'failures' | 'funnel'>): readonly Step[] {
  const unreachable = UNREACHABLE_REASONS.reduce((sum, reason) => sum + (failures[reason] ?? 0), 0);
  const steps: readonly Step[] = [
    { name: 'requested', count: recipients.requested },
    { name: 'unique', count: recipients.unique },
    { name: 'reachable', count: Math.max(recipients.unique - unreachable, 0) },
    { name: 'sent', count: counts.sent },
    { name: 'delivered', count: counts.delivered },
    { name: 'displayed', count: counts.displayed },
    { name: 'opened', count: counts.opened },
    { name: 'clicked', count: counts.clicked },
  ];
  return steps.map(({ name, count }) => ({ name, count: funnel[name] ?? count }));
}
