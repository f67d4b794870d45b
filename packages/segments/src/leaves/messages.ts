import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import type { MessageMilestone } from '@tidings/contracts/segments/leaves/message';
import { compileRange } from '../compile/comparisons.ts';
import { countLimit } from '../compile/count-limit.ts';
import { join, type CompiledLeaf, type StatementParts } from '../compile/statement-parts.ts';
import { toTimeRange } from '../compile/time-range.ts';

type MessageCondition = LeafOf<'message'>;

/** When people reached them; hits of machines do not count. */
const COLUMN_OF = {
  sent: 'd.sent_at',
  delivered: 'd.delivered_at',
  opened: 'd.opened_at',
  clicked: 'd.clicked_at',
} as const satisfies Record<MessageMilestone, string>;

/** SQL: when a delivery `d` reached a milestone, in milliseconds. */
export const milestoneAt = (was: MessageMilestone): string =>
  `floor(extract(epoch from ${COLUMN_OF[was]}) * 1000)`;

/** SQL: when a delivery `d` reached the milestone, and that it did in the window. */
export function reachedAt(
  { parameters, now }: StatementParts,
  node: MessageCondition,
): { readonly at: string; readonly conditions: readonly string[] } {
  const column = COLUMN_OF[node.was];
  const { after, until } = toTimeRange(node, now);
  // Whole milliseconds count. Compared as times: numbers of all rows would take three times as long.
  const instant = (ms: number): string => parameters.add(toTimestamp(ms), 'timestamptz');
  return {
    at: milestoneAt(node.was),
    conditions: [
      'd.test_address is null',
      ...(after === null ? [] : [`${column} >= ${instant(after + 1)}`]),
      `${column} < ${instant(until + 1)}`,
    ],
  };
}

const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant as Postgres reads it. Windows may reach further than its calendar. */
function toTimestamp(ms: number): string {
  if (ms < FIRST_MS) return '-infinity';
  return ms > LAST_MS ? 'infinity' : new Date(ms).toISOString();
}

/** How many messages of any campaign reached the milestone. */
export function compileMessages(parts: StatementParts, node: MessageCondition): CompiledLeaf {
  const count = node.count ?? { gte: 1 };
  const facts = join(parts, parts.shape === 'all' ? ofAll(parts, node) : ofUser(parts, node));
  const conditions = compileRange(parts, `coalesce(${facts}.n, 0)`, count);
  return { truth: `(${conditions.join(' and ')})`, evidence: `${facts}.evidence` };
}

/**
 * SQL: the messages of each user, by campaign. Deliveries have no index of their application: an
 * index leads from each of its campaigns to them.
 */
function ofAll(parts: StatementParts, node: MessageCondition): string {
  const campaigns = [`c.application_id = ${parts.application}`, ...ofCampaign(parts, node)];
  const { conditions } = reachedAt(parts, node);
  return `select d.user_id, count(*) as n from deliveries d
    where d.campaign_id = any(array(select c.id from campaigns c where ${campaigns.join(' and ')}))
      and d.user_id is not null and ${conditions.join(' and ')}
    group by d.user_id`;
}

/**
 * SQL: the messages of the user `u`, the newest first. `offset 0` looks up the campaign of each.
 * Otherwise the planner may read all messages of all these campaigns.
 */
function ofUser(parts: StatementParts, node: MessageCondition): string {
  const { at, conditions } = reachedAt(parts, node);
  const named = ofCampaign(parts, node);
  const campaign =
    named.length === 0
      ? []
      : [
          `exists (select from campaigns c where c.id = d.campaign_id and ${named.join(' and ')} offset 0)`,
        ];
  const limit = parts.shape === 'given' ? countLimit(node.count ?? { gte: 1 }) : null;
  const evidence =
    parts.shape === 'explain'
      ? ", jsonb_build_object('count', count(*), 'first', min(q.at), 'last', max(q.at)) as evidence"
      : '';
  return `select count(*) as n${evidence} from (select ${at} as at from deliveries d
      where d.user_id = u.id and ${[...conditions, ...campaign].join(' and ')}
      ${limit === null ? '' : `order by d.id desc limit ${limit}`}) q`;
}

/** SQL: that a campaign `c` is one of those named. */
function ofCampaign({ parameters }: StatementParts, { message }: MessageCondition): string[] {
  return [
    ...(['channel', 'purpose'] as const).flatMap((key) =>
      message[key] === undefined ? [] : [`c.${key} = ${parameters.add(message[key], 'text')}`],
    ),
    // The index has no campaigns without tags.
    ...(message.tag === undefined
      ? []
      : [`c.tags @> array[${parameters.add(message.tag, 'text')}] and c.tags <> '{}'`]),
  ];
}
