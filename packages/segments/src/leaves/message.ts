import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { join, later, type CompiledLeaf, type StatementParts } from '../compile/statement-parts.ts';
import { toMs } from '../durations.ts';
import { checkMessage } from './check-message.ts';
import type { Leaf } from './leaf.ts';
import { compileMessages, milestoneAt, reachedAt } from './messages.ts';

type MessageCondition = LeafOf<'message'>;

/** Whether messages of the user were sent, delivered, opened or clicked. */
export const message: Leaf<MessageCondition> = {
  compile: (parts, node) =>
    node.message.campaignId === undefined
      ? compileMessages(parts, node)
      : compileMessageOf(node.message.campaignId, parts, node),
  check: checkMessage,
  isOfNow: false,
  // What becomes of any message is not recorded with the user.
  isLive: (node) => node.message.campaignId !== undefined,
  hears: ({ message: { campaignId }, was }) =>
    campaignId === undefined ? {} : { campaigns: [[campaignId, [was]]] },
};

/** Of one campaign, which has at most one message for a user. */
function compileMessageOf(
  campaignId: string,
  parts: StatementParts,
  node: MessageCondition,
): CompiledLeaf {
  const { at, conditions } = reachedAt(parts, node);
  const reached = [
    `d.campaign_id = ${parts.parameters.add(campaignId, 'uuid')}`,
    `d.application_id = ${parts.application}`,
    ...conditions,
  ].join(' and ');
  const facts = join(
    parts,
    parts.shape === 'all'
      ? `select d.user_id, ${at} as at from deliveries d where d.user_id is not null and ${reached}`
      : `select d.user_id, ${at} as at from deliveries d
         where d.custom_user_id = u.custom_user_id and d.user_id = u.id and ${reached}`,
  );
  return {
    truth: `${facts}.user_id is not null`,
    evidence: `case when ${facts}.user_id is not null then jsonb_build_object('at', ${facts}.at) end`,
    ...(parts.hasRechecks && { rechecks: rechecksOf(campaignId, parts, node) }),
  };
}

/** The milestone itself if it is ahead of now, and the end of its window. */
function rechecksOf(
  campaignId: string,
  parts: StatementParts,
  node: MessageCondition,
): readonly string[] {
  const facts = join(
    parts,
    `select ${milestoneAt(node.was)} as at from deliveries d
     where d.custom_user_id = u.custom_user_id and d.user_id = u.id
       and d.campaign_id = ${parts.parameters.add(campaignId, 'uuid')}`,
  );
  const { within } = node;
  return [
    later(parts, `${facts}.at`),
    ...(within === undefined
      ? []
      : [later(parts, `${facts}.at + ${parts.parameters.add(toMs(within), 'bigint')}`)]),
  ];
}
