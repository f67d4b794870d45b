import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import {
  DELIVERY_REASONS,
  DELIVERY_STATES,
  STATE_GROUPS,
  SUCCESS_STATES,
  UNREACHABLE_REASONS,
  type DeliveryReason,
  type DeliveryState,
} from '@tidings/contracts/push/deliveries';

/** Outcome groups that add up to all recipients. */
export const OUTCOME_GROUPS = [
  'successful',
  'failed',
  'unknown',
  'expired',
  'canceled',
  'waiting',
  'pending',
] as const;

/** The two subgroups of `failed`. They are not counted again in the total. */
const FAILED_SUBGROUPS = ['failed_attempts', 'not_reachable'] as const;
export const OUTCOME_GROUP_NAMES = [...OUTCOME_GROUPS, ...FAILED_SUBGROUPS] as const;
export type OutcomeGroup = (typeof OUTCOME_GROUP_NAMES)[number];

type Filter = {
  readonly states: readonly DeliveryState[];
  readonly reasons?: readonly DeliveryReason[];
};

const UNREACHABLE: readonly DeliveryReason[] = UNREACHABLE_REASONS;

/** The delivery filter of a group. It selects what the report's bar counts. */
export function getGroupFilter(group: OutcomeGroup): Filter {
  if (group === 'successful') return { states: SUCCESS_STATES };
  if (group === 'not_reachable') return { states: ['failed'], reasons: UNREACHABLE };
  if (group === 'failed_attempts')
    return {
      states: ['failed'],
      reasons: DELIVERY_REASONS.filter((reason) => !UNREACHABLE.includes(reason)),
    };
  return { states: DELIVERY_STATES.filter((state) => STATE_GROUPS[state] === group) };
}

/** The number of recipients in a group, from the campaign's counters. */
export function countGroup(
  group: OutcomeGroup,
  { counts, result }: Pick<CampaignRecord, 'counts' | 'result'>,
): number {
  if (group === 'not_reachable') return result.notReachable;
  return group === 'failed_attempts' ? counts.failed - result.notReachable : counts[group];
}
