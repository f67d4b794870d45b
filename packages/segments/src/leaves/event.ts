import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { FOLLOWINGS, type FollowingEvent } from '@tidings/contracts/segments/leaves/event';
import { compileRange } from '../compile/comparisons.ts';
import { countLimit } from '../compile/count-limit.ts';
import { compileWhere, isOneOf, ownKeys, slugsOf } from '../compile/named-event.ts';
import { join, type CompiledLeaf, type StatementParts } from '../compile/statement-parts.ts';
import { resolveEvent } from '../condition-context.ts';
import { toTimeRange } from '../compile/time-range.ts';
import { toMs } from '../durations.ts';
import { checkEvent } from './check-event.ts';
import { eventRechecks } from './event-rechecks.ts';
import type { Leaf } from './leaf.ts';
import { openSequences } from './open-sequences.ts';

type EventCondition = LeafOf<'event'>;

/** Ids of events that an explanation names, the newest. */
const EVENT_IDS_MAX = 5;

/** How often an event happened, for how much, and what followed it. */
export const event: Leaf<EventCondition> = {
  compile: compileEvent,
  check: checkEvent,
  isOfNow: false,
  isLive: () => true,
  hears: (node, context) => ({
    slugs: [node, ...FOLLOWINGS.flatMap((key) => node[key] ?? [])].flatMap(
      ({ event: named }) => resolveEvent(context, named)?.slugs ?? [],
    ),
  }),
  openSequences,
};

function compileEvent(parts: StatementParts, node: EventCondition): CompiledLeaf {
  const facts = join(parts, factsOf(parts, node));
  const conditions = [
    ...compileRange(parts, `coalesce(${facts}.n, 0)`, node.count ?? { gte: 1 }),
    ...(node.sum === undefined ? [] : compileRange(parts, `coalesce(${facts}.total, 0)`, node.sum)),
    ...(node.neverFollowedBy === undefined ? [] : [`coalesce(${facts}.followed, 0) = 0`]),
  ];
  return {
    truth: `(${conditions.join(' and ')})`,
    evidence: `${facts}.evidence`,
    ...(parts.hasRechecks && { rechecks: eventRechecks(parts, node, `${facts}.oldest`) }),
  };
}

/** SQL: `n` and `total` of each user, and of `neverFollowedBy` how many were `followed`. */
function factsOf(parts: StatementParts, node: EventCondition): string {
  const facts = `count(*) as n${node.sum === undefined ? '' : ', sum(q.revenue) as total'}${
    parts.hasRechecks ? ', min(q.time) as oldest' : ''
  }`;
  if (FOLLOWINGS.some((key) => node[key] !== undefined)) {
    const rows = qualified(parts, node);
    const followed =
      node.neverFollowedBy === undefined
        ? ''
        : ', count(*) filter (where q.is_followed) as followed';
    return parts.shape === 'all'
      ? `select q.user_id, ${facts}${followed} from (${rows}) q group by q.user_id`
      : `select ${facts}${followed}${evidence(parts, node)} from (${rows}) q`;
  }
  const total = node.sum === undefined ? '' : `, sum(${REVENUE}) as total`;
  if (parts.shape === 'all')
    // By stored user first: fewer rows to join with the merged ones.
    return `select coalesce(m.merged_into, s.user_id) as user_id, sum(s.n) as n
        ${node.sum === undefined ? '' : ', sum(s.total) as total'}
      from (select e.user_id, count(*) as n${total} from events e
        where e.application_id = ${parts.application} and e.user_id is not null
          and ${isEvent(parts, node)}
        group by e.user_id) s
      left join merged m on m.id = s.user_id group by 1`;
  const revenue = node.sum === undefined ? '' : `, ${REVENUE} as revenue`;
  const limit =
    parts.shape === 'given' && node.sum === undefined ? countLimit(node.count ?? { gte: 1 }) : null;
  return `select ${facts}${evidence(parts, node)} from ${ownKeys(parts, slugsOf(parts, node))}
    cross join lateral (select e.time, e.received_at, e.message_id${revenue} from events e
      where e.user_id = o.id and e.slug = s.slug and ${suchEvent(parts, node)}
      ${limit === null ? '' : `order by e.time desc limit ${limit}`}) q`;
}

/** The shortest decimal that is this double: what the caller sent. Sums of it have no order. */
const REVENUE = 'e.revenue::text::numeric';

/** SQL: the events of a leaf that are followed, or not followed, as it asks; of `neverFollowedBy` all of them. */
function qualified(parts: StatementParts, node: EventCondition): string {
  const { add } = parts.parameters;
  const steps = FOLLOWINGS.flatMap((key) => {
    const step = node[key];
    return step === undefined ? [] : [{ key, step }];
  });
  const range = toTimeRange(node, parts.now);
  const slugs = [node, ...steps.map(({ step }) => step)].flatMap((named) => slugsOf(parts, named));
  const scanned = [
    ...(range.after === null ? [] : [`e.time > ${add(range.after, 'bigint')}`]),
    `e.time <= ${add(parts.now, 'bigint')}`,
  ].join(' and ');
  const flags = steps.map(({ step }, index) => `(${isFollowing(parts, step)}) as is_next${index}`);
  const events =
    parts.shape === 'all'
      ? `select coalesce(m.merged_into, e.user_id) as user_id, e.time, e.received_at, e.message_id,
           ${REVENUE} as revenue, (${isEvent(parts, node)}) as is_first, ${flags.join(', ')}
         from events e left join merged m on m.id = e.user_id
         where e.application_id = ${parts.application} and e.user_id is not null
           and ${isOneOf(parts, 'e.slug', slugs)} and ${scanned}`
      : `select u.id as user_id, e.time, e.received_at, e.message_id,
           ${REVENUE} as revenue, (${isEvent(parts, node)}) as is_first, ${flags.join(', ')}
         from ${ownKeys(parts, slugs)} join events e on e.user_id = o.id and e.slug = s.slug
         where ${scanned}`;
  // Rows come newest first, so the frame of each only grows. Equal rows do not follow each other.
  const next = steps.map(
    (_, index) => `min(case when e.is_next${index} then e.time end) over later as next${index}`,
  );
  const found = steps.map(({ key, step }, index) => ({ key, step, next: `q.next${index}` }));
  const follows = found.flatMap((each) => compileFollow(parts, each));
  const isFollowed = found.flatMap(({ key, step, next }) =>
    key === 'neverFollowedBy' ? [`, ${comes(parts, step, next)} as is_followed`] : [],
  );
  return `select q.*${isFollowed.join('')} from (select e.*, ${next.join(', ')} from (${events}) e
      window later as (partition by e.user_id
        order by e.time desc, e.received_at desc, e.message_id collate "C" desc
        groups between unbounded preceding and 1 preceding)) q
    where ${['q.is_first', ...follows].join(' and ')}`;
}

/** SQL: which events count. Of `neverFollowedBy` all of them do. */
function compileFollow(
  parts: StatementParts,
  {
    key,
    step,
    next,
  }: {
    readonly key: (typeof FOLLOWINGS)[number];
    readonly step: FollowingEvent;
    readonly next: string;
  },
): string[] {
  switch (key) {
    case 'followedBy':
      return [comes(parts, step, next)];
    case 'notFollowedBy':
      return [
        `not ${comes(parts, step, next)}`,
        // Not before the time is over.
        ...(step.in === undefined
          ? []
          : [`q.time <= ${parts.parameters.add(parts.now - toMs(step.in), 'bigint')}`]),
      ];
    case 'neverFollowedBy':
      return [];
  }
}

/** SQL: whether the following event comes in time. */
const comes = ({ parameters }: StatementParts, step: FollowingEvent, next: string): string =>
  step.in === undefined
    ? `(${next} is not null)`
    : `coalesce(${next} <= q.time + ${parameters.add(toMs(step.in), 'bigint')}, false)`;

/** SQL: whether `e` is an event of the leaf. */
const isEvent = (parts: StatementParts, node: EventCondition): string =>
  `${isOneOf(parts, 'e.slug', slugsOf(parts, node))} and ${suchEvent(parts, node)}`;

/** SQL: whether an event `e` of the definition counts. */
function suchEvent(parts: StatementParts, node: EventCondition): string {
  const { add } = parts.parameters;
  const { after, until } = toTimeRange(node, parts.now);
  return [
    ...(after === null ? [] : [`e.time > ${add(after, 'bigint')}`]),
    `e.time <= ${add(until, 'bigint')}`,
    ...(node.currency === undefined ? [] : [`e.currency = ${add(node.currency, 'text')}`]),
    ...(node.proved === true ? ['e.is_proved is true'] : []),
    ...compileWhere(parts, node.where),
  ].join(' and ');
}

const isFollowing = (parts: StatementParts, step: FollowingEvent): string =>
  [isOneOf(parts, 'e.slug', slugsOf(parts, step)), ...compileWhere(parts, step.where)].join(
    ' and ',
  );

function evidence({ shape }: StatementParts, { sum, neverFollowedBy }: EventCondition): string {
  if (shape !== 'explain') return '';
  const newest = 'q.time desc, q.received_at desc, q.message_id collate "C" desc';
  return `, jsonb_build_object('count', count(*),
      ${sum === undefined ? '' : `'sum', coalesce(sum(q.revenue), 0),`}
      ${neverFollowedBy === undefined ? '' : `'followed', count(*) filter (where q.is_followed),`}
      'first', min(q.time), 'last', max(q.time),
      'eventIds', to_jsonb((array_agg(q.message_id order by ${newest}))[1:${EVENT_IDS_MAX}])) as evidence`;
}
