import type { Overview } from '../../api/types.ts';

/** Which of the first steps are done, in their order. */
export function stepsDone({
  hasKey,
  hasUser,
  hasEvent,
  hasReadyChannel,
  hasCampaign,
}: Overview['firstSteps']) {
  return {
    key: hasKey,
    data: hasUser && hasEvent,
    channel: hasReadyChannel,
    campaign: hasCampaign,
  };
}
