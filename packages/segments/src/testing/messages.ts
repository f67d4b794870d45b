import { CHANNELS } from '@tidings/contracts/channels/channels';
import { PURPOSES } from '@tidings/contracts/push/purposes';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { MESSAGE_MILESTONES, type NamedMessages } from '@tidings/contracts/segments/leaves/message';
import { decimal, isInRange, isInWindow } from './compare.ts';
import { someRange, someWindow } from './draw-parts.ts';
import type { Drawn, LeafModel } from './leaf-model.ts';
import type { Random } from './random.ts';

/** Messages in memory. */
export const message: LeafModel<LeafOf<'message'>> = {
  weight: 2,
  draw(random, of) {
    const named = someMessages(random, of);
    return {
      message: named,
      was: random.pick(MESSAGE_MILESTONES),
      ...(named.campaignId === undefined &&
        random.chance(0.4) && { count: someRange(random, [0, 1, 2, 3, 1.5]) }),
      ...someWindow(random, of),
    };
  },
  evaluate(node, person, of) {
    const reached = person.messages.filter(({ campaignId, isTest, ...milestones }) => {
      const campaign = of.campaigns.find(({ id }) => id === campaignId);
      const at = milestones[node.was];
      return (
        !isTest &&
        at !== null &&
        isInWindow(at, node, of.now) &&
        [campaignId, undefined].includes(node.message.campaignId) &&
        [campaign?.channel, undefined].includes(node.message.channel) &&
        [campaign?.purpose, undefined].includes(node.message.purpose) &&
        [...(campaign?.tags ?? []), undefined].includes(node.message.tag)
      );
    });
    return isInRange(decimal(reached.length), node.count ?? { gte: 1 });
  },
};

function someMessages(random: Random, { campaigns }: Drawn): NamedMessages {
  if (random.chance(0.3)) return { campaignId: random.pick(campaigns).id };
  return {
    ...(random.chance(0.6) && { channel: random.pick(['EMAIL', 'EMAIL', ...CHANNELS] as const) }),
    ...(random.chance(0.4) && { purpose: random.pick(PURPOSES) }),
    ...(random.chance(0.4) && { tag: random.pick(['sale', 'news', 'Sale', 'none']) }),
  };
}
