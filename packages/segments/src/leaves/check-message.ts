import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { checkWindow } from '../check-window.ts';
import { toMs } from '../durations.ts';
import type { LeafCheck } from './leaf.ts';

const DAY_MS = 86_400_000;

/** A campaign stands alone, and what its window asks for must still be stored. */
export function checkMessage(
  node: LeafOf<'message'>,
  { findings: { errors, warnings }, context, pointer }: LeafCheck,
): void {
  errors.push(...checkWindow(node, pointer));
  const { campaignId, ...others } = node.message;
  if (campaignId !== undefined) {
    if (Object.keys(others).length > 0)
      errors.push({
        pointer: `${pointer}/message`,
        code: 'exactly_one_of',
        expected: 'either campaignId, or channel, purpose and tag',
      });
    if (node.count !== undefined)
      errors.push({
        pointer: `${pointer}/count`,
        code: 'invalid_value',
        expected: 'no count: a campaign has one message for a user',
      });
    return;
  }
  const days = context.deliveryRetentionDays;
  if (days === null || node.from !== undefined) return;
  if (node.within !== undefined && toMs(node.within) <= days * DAY_MS) return;
  warnings.push({
    code: 'beyond_retention',
    pointer: node.within === undefined ? pointer : `${pointer}/within`,
    detail: `Messages are kept for ${days} days.`,
  });
}
