import { DELIVERY_STATES, STATE_GROUPS, SUCCESS_STATES, type DeliveryState } from '@tidings/contracts';
import { OUTCOME_GROUPS } from '@tidings/db';

export const OUTCOME_GROUP_NAMES = OUTCOME_GROUPS;
export type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

/** The states that the bar of a report counts as one. */
export function statesOf(group: OutcomeGroup): readonly DeliveryState[] {
  return group === 'successful' ? SUCCESS_STATES : DELIVERY_STATES.filter((state) => STATE_GROUPS[state] === group);
}
