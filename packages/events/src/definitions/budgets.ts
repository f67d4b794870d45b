import { LIMITS, type KeyType } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';

/** New definitions that an application may have now, by the type of the key that sends the name first. */
export type DefinitionRoom = Readonly<Record<KeyType, number>>;

/** SQL: live definitions `d` count; discarded, merged and deleted ones do not. */
const IS_LIVE = 'not d.discarded and d.merged_into is null and d.deleted_at is null';

/** SQL: the tokens of a bucket `b` now; a missing row is a full bucket. A clock that was set back adds nothing. */
const TOKENS_NOW = `least(${LIMITS.clientDefinitionsBurst}, coalesce(
  b.tokens + greatest(0, extract(epoch from clock_timestamp() - b.refilled_at)::float8) * ${LIMITS.clientDefinitionsPerHour} / 3600.0,
  ${LIMITS.clientDefinitionsBurst}))`;

/**
 * Both budgets of each application. Exact while the caller has the applications locked; without the lock, a budget
 * without room stays so for the moment. @callers events
 */
export async function readDefinitionRoom(
  sql: Sql,
  applicationIds: readonly string[],
): Promise<ReadonlyMap<string, DefinitionRoom>> {
  const { rows } = await sql.query<{
    id: string;
    server: number;
    client: number;
    tokens: number;
    may_client: boolean;
  }>(
    `select w.id, c.server, c.client, ${TOKENS_NOW} as tokens,
            coalesce((a.settings ->> 'clientKeysDefineEvents')::boolean, true) as may_client
     from unnest($1::uuid[]) as w(id)
     cross join lateral (
       select count(*) filter (where not d.by_client_key)::int as server, count(*) filter (where d.by_client_key)::int as client
       from definitions d where d.application_id = w.id and ${IS_LIVE}) c
     left join client_definition_budgets b on b.application_id = w.id
     left join applications a on a.id = w.id`,
    [applicationIds],
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        server: Math.max(0, LIMITS.definitionsMax - row.server),
        client: row.may_client
          ? Math.max(0, Math.min(LIMITS.clientDefinitionsMax - row.client, Math.floor(row.tokens)))
          : 0,
      },
    ]),
  );
}

/** Takes tokens for definitions that Client keys made, by application; the caller has the applications locked. @callers events */
export async function spendClientTokens(
  sql: Sql,
  spent: ReadonlyMap<string, number>,
): Promise<void> {
  if (spent.size === 0) return;
  await sql.query(
    `insert into client_definition_budgets as t (application_id, tokens, refilled_at)
     select w.id, greatest(0, ${TOKENS_NOW} - w.spent), clock_timestamp()
     from unnest($1::uuid[], $2::int[]) as w(id, spent) left join client_definition_budgets b on b.application_id = w.id
     on conflict (application_id) do update set tokens = excluded.tokens, refilled_at = excluded.refilled_at`,
    [[...spent.keys()], [...spent.values()]],
  );
}

/** Live definitions of an application in each budget. */
export async function countDefinitions(
  sql: Sql,
  { applicationId }: { readonly applicationId: string },
): Promise<Readonly<Record<KeyType, number>>> {
  const { rows } = await sql.query<{ server: number; client: number }>(
    `select count(*) filter (where not d.by_client_key)::int as server, count(*) filter (where d.by_client_key)::int as client
     from definitions d where d.application_id = $1 and ${IS_LIVE}`,
    [applicationId],
  );
  return rows[0] ?? { server: 0, client: 0 };
}
