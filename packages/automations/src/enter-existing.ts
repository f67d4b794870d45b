import { listOldMembers } from '@tidings/live-segments/memberships';
import { readShardsToAsk } from '@tidings/live-segments/live-segments';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { Stepping } from './advance.ts';
import type { Arrival } from './enter-people.ts';
import { readProgram } from './programs.ts';

const statement = statementsIn(import.meta.dirname);

const MEMBERS_OF_STEP = 500;

/**
 * The next of those who were members when an automation was activated that takes them. Null: there is
 * no such automation, or its segment is not built yet. They are arrivals once. @callers automations
 */
export async function nextExisting(
  { sql }: Pick<Stepping, 'sql'>,
  shard: number,
): Promise<readonly Arrival[] | null> {
  const { rows } = await sql.query<{
    automation_id: string;
    application_id: string;
    version: number | null;
    at: number;
    after_user: string | null;
  }>(statement('read-existing'), [shard]);
  const looked: string[] = [];
  for (const row of rows) {
    const { automation_id: automationId, application_id: applicationId, version, at } = row;
    looked.push(automationId);
    if (version === null) continue;
    const { trigger } = (await readProgram(sql, { automationId, version })).definition;
    const isAsked = 'when' in trigger && trigger.existing === true;
    const { rows: built } = await sql.query<{ is_built: boolean }>(statement('is-segment-built'), [
      applicationId,
      isAsked ? trigger.segment : '',
      shard,
    ]);
    if (isAsked && built[0]?.is_built !== true) continue;
    const userIds = isAsked
      ? await listOldMembers(
          sql,
          { applicationId, slug: trigger.segment, shard },
          { before: at, after: row.after_user, limit: MEMBERS_OF_STEP },
        )
      : [];
    await sql.query(statement('note-existing-entered'), [
      automationId,
      shard,
      userIds.length < MEMBERS_OF_STEP ? null : (userIds.at(-1) ?? null),
    ]);
    await sql.query(statement('note-existing-looked'), [shard, looked]);
    return userIds.map((userId) => ({ applicationId, automationId, userId, kind: 'segment', at }));
  }
  if (looked.length > 0) await sql.query(statement('note-existing-looked'), [shard, looked]);
  return null;
}

/** The shards whose people a segment is to ask, or of which an automation takes the members. */
export async function readSegmentShards(sql: Sql): Promise<number[]> {
  const { rows } = await sql.query<{ shard: number }>(statement('read-shards-with-existing'));
  return [...new Set([...(await readShardsToAsk(sql)), ...rows.map(({ shard }) => shard)])];
}
