import { CHANNEL_SENDS } from '@tidings/accounts/channel-settings';
import { UNKNOWN_RECIPIENT_LOOKUP_SECONDS } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { isWrittenAhead } from '@tidings/postgres/written-ahead';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { wakeChunks } from './chunks.ts';
import { ROWS_PER_SWEEP } from './sweeps.ts';

/** SQL of the deliveries `d` of the chunk `k` whose recipient is looked for. */
const UNRESOLVED = `d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and d.user_id is null and d.test_address is null and d.state = 'pending'`;
/** SQL that joins them, chunk by chunk, by their index, whatever Postgres takes the size of a table for; $2 is more than a chunk has. */
const UNRESOLVED_OF_CHUNK = `cross join lateral (select d.id from deliveries d where ${UNRESOLVED} limit $2) d`;
/** SQL of the time before which the look-up of a recipient is over that began then; $1 is its duration. */
const LOOK_UP_UNTIL = `now() - $1::float8 * interval '1 s'`;
/** SQL of whether it is over for the delivery `d`; where that was made while Postgres' clock was ahead, its chunk says since when it goes on. */
const IS_LOOK_UP_OVER = `(d.created_at < ${LOOK_UP_UNTIL} or (${isWrittenAhead('d.created_at')}
  and (select k.unresolved_at < ${LOOK_UP_UNTIL} from campaign_chunks k where k.campaign_id = d.campaign_id and k.chunk_no = d.chunk_no)))`;

/**
 * Recipients nobody knew when the campaign was expanded: those registered since join the queue, those still unknown
 * after the look-up time fail. Each call looks at a bounded number, first at those whose time is over, then at the
 * newest: a campaign of very many unknown recipients delays the look-up of its own, not of others.
 * Returns how many changed. @callers campaigns
 */
export async function resolveUnknownRecipients(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{ id: string; user_id: string | null }>(
      `with looked as materialized (
         (select d.id from campaign_chunks k ${UNRESOLVED_OF_CHUNK} where k.unresolved_at < ${LOOK_UP_UNTIL} order by k.unresolved_at limit $2)
         union all
         (select d.id from campaign_chunks k ${UNRESOLVED_OF_CHUNK} where k.unresolved_at >= ${LOOK_UP_UNTIL} order by k.unresolved_at desc limit $2))
       select d.id, u.id as user_id
       from deliveries d
       left join users u on u.application_id = d.application_id and u.custom_user_id = d.custom_user_id and u.registered_at is not null
       where d.id = any(array(select id from looked)) and d.user_id is null and d.state = 'pending' and (u.id is not null or ${IS_LOOK_UP_OVER})
       order by d.id for update of d skip locked`,
      [UNKNOWN_RECIPIENT_LOOKUP_SECONDS, ROWS_PER_SWEEP],
    );
    const known = rows.filter((row) => row.user_id !== null);
    const { rows: found } = await sql.query<{
      id: string;
      campaign_id: string;
      chunk_no: number;
      is_ready: boolean;
    }>(
      `update deliveries d set user_id = x.user_id, next_at = now(), updated_at = now()
       from unnest($1::uuid[], $2::uuid[]) as x(id, user_id) where d.id = x.id
       returning d.id, d.campaign_id, d.chunk_no,
         (select ${CHANNEL_SENDS}
          from applications a left join channel_settings s on s.application_id = a.id and s.channel = d.channel
          where a.id = d.application_id) as is_ready`,
      [known.map((row) => row.id), known.map((row) => row.user_id)],
    );
    await changeDeliveryStates(
      sql,
      ['pending'],
      [
        ...rows
          .filter((row) => row.user_id === null)
          .map((row): StateChange => ({
            deliveryId: row.id,
            fence: null,
            state: 'failed',
            reason: 'unknown_user',
          })),
        ...found
          .filter((row) => !row.is_ready)
          .map((row): StateChange => ({
            deliveryId: row.id,
            fence: null,
            state: 'failed',
            reason: 'channel_not_configured',
          })),
      ],
    );
    await wakeChunks(
      sql,
      found
        .filter((row) => row.is_ready)
        .map((row) => ({ campaignId: row.campaign_id, chunkNo: row.chunk_no })),
    );
    await sql.query(
      `with over as (
         select k.campaign_id, k.chunk_no from campaign_chunks k
         where k.unresolved_at < ${LOOK_UP_UNTIL} and (select d.id from deliveries d where ${UNRESOLVED} limit 1) is null
         order by 1, 2 limit $2 for update of k skip locked)
       update campaign_chunks k set unresolved_at = null from over o where k.campaign_id = o.campaign_id and k.chunk_no = o.chunk_no`,
      [UNKNOWN_RECIPIENT_LOOKUP_SECONDS, ROWS_PER_SWEEP],
    );
    return rows.length;
  });
}
