import { STATE_GROUPS, SUCCESS_STATES } from '@tidings/contracts';
import { randomInt } from 'node:crypto';

const SHARDS = 8;

/** The shard of this process: counters of one campaign are spread, so that no row is hot. */
export const counterShard = randomInt(SHARDS);

const PENDING_STATES = Object.entries(STATE_GROUPS)
  .filter(([, group]) => group === 'pending')
  .map(([state]) => `'${state}'`)
  .join(', ');

/** SQL of the list of states that are successes. */
export const SUCCESSES = SUCCESS_STATES.map((state) => `'${state}'`).join(', ');

/** SQL of the group a state is counted in. */
export const groupOf = (column: string): string =>
  `case when ${column} in (${PENDING_STATES}) then 'pending' else ${column} end`;

/** SQL of the reason a row is counted under: failures are counted by reason, everything else is not. */
export const countedReason = (state: string, reason: string): string =>
  `case when ${state} = 'failed' then coalesce(${reason}, 'internal') else '' end`;

/** What is noted beside the states, and counted beside them. */
export const COUNTED_NOTES = ['complained', 'unsubscribed'] as const;

/**
 * SQL that adds deltas to the counters. `deltas` is a query with (campaign_id, state, reason, n); sorted, so that two
 * statements cannot deadlock. first_at and last_at tell when deliveries came to this state; that some left it says nothing.
 */
export const addToCounters = (deltas: string, shardParameter: string): string =>
  `insert into campaign_counters as c (campaign_id, state, reason, shard, n, first_at, last_at)
   select campaign_id, state, reason, ${shardParameter}::smallint, sum(n),
          case when sum(n) > 0 then now() else 'infinity' end, case when sum(n) > 0 then now() else '-infinity' end from (${deltas}) deltas
   group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
   on conflict (campaign_id, state, reason, shard) do update
   set n = c.n + excluded.n, first_at = least(c.first_at, excluded.first_at), last_at = greatest(c.last_at, excluded.last_at)`;
