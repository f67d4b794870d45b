import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import type { Sql } from '@tidings/postgres/database';

/** A statement for the customUserIds of the recipients, each once, and its values. */
export type Members = { readonly text: string; readonly values: readonly unknown[] };

/**
 * Stores the recipients in chunks; none if there are too many. Returns how many there are, at most
 * one more than `max`. One statement, so that all are read at one moment.
 * @callers delivery
 */
export async function insertChunks(
  sql: Sql,
  { text, values }: Members,
  {
    campaignId,
    max,
    expressMax,
  }: {
    readonly campaignId: string;
    readonly max: number;
    /** With more, the chunks are of the bulk lane. */
    readonly expressMax: number;
  },
): Promise<number> {
  const { rows } = await sql.query<{ recipients: number }>(
    `with member as materialized (
       select m.custom_user_id, row_number() over () - 1 as n from (${text}) m limit ${max + 1}
     ), counted as materialized (
       select count(*) as n from member
     ), chunk as (
       insert into campaign_chunks (campaign_id, chunk_no, lane, recipients)
       select $${values.length + 1}::uuid, (n / ${CHUNK_ROWS_MAX})::int,
         case when (select n from counted) <= ${expressMax} then 'express' else 'bulk' end,
         jsonb_agg(custom_user_id)
       from member where (select n from counted) <= ${max}
       group by 2
     )
     select n::int as recipients from counted`,
    [...values, campaignId],
  );
  return rows[0]?.recipients ?? 0;
}
