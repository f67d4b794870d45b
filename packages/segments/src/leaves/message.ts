import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import type { MessageMilestone } from '@tidings/contracts/segments/leaves/message';
import { checkWindow } from '../check-window.ts';
import { join, type CompiledLeaf, type StatementParts } from '../compile/statement-parts.ts';
import { toTimeRange } from '../compile/time-range.ts';
import type { Leaf } from './leaf.ts';

type MessageCondition = LeafOf<'message'>;

/** Whether the user's message of a campaign was sent, delivered, opened or clicked. */
export const message: Leaf<MessageCondition> = {
  compile: compileMessage,
  check(node, { pointer, findings }) {
    findings.errors.push(...checkWindow(node, pointer));
  },
  isOfNow: false,
  isLive: () => true,
};

/** When people reached them; hits of machines do not count. */
const COLUMN_OF = {
  sent: 'd.sent_at',
  delivered: 'd.delivered_at',
  opened: 'd.opened_at',
  clicked: 'd.clicked_at',
} as const satisfies Record<MessageMilestone, string>;

function compileMessage(parts: StatementParts, node: MessageCondition): CompiledLeaf {
  const { add } = parts.parameters;
  const at = `floor(extract(epoch from ${COLUMN_OF[node.was]}) * 1000)`;
  const { after, until } = toTimeRange(node, parts.now);
  const reached = [
    `d.campaign_id = ${add(node.message.campaignId, 'uuid')}`,
    `d.application_id = ${parts.application}`,
    'd.test_address is null',
    ...(after === null ? [] : [`${at} > ${add(after, 'bigint')}`]),
    `${at} <= ${add(until, 'bigint')}`,
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
  };
}
