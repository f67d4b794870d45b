import type { Overview } from '../../api/types.ts';

/** The first steps in order, and whether each is done. */
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
