import { parseExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const READ = definePrepared(statement('read-template-users'));
const COUNT_LACKING = definePrepared(statement('count-users-lacking'));

/** What messages show of a registered user. */
export type TemplateUserRecord = {
  readonly customUserId: string;
  readonly registeredAt: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly customAttributes: Readonly<Record<string, unknown>>;
};

/**
 * What messages show of registered users, by customUserId. Integers beyond 2^53 are bigints.
 * @param attributes the custom attributes to read; null: all
 */
export async function readTemplateUsers(
  { sql }: Pick<Database, 'sql'>,
  {
    applicationId,
    customUserIds,
    attributes,
  }: {
    readonly applicationId: string;
    readonly customUserIds: readonly string[];
    readonly attributes: readonly string[] | null;
  },
): Promise<Map<string, TemplateUserRecord>> {
  const { rows } = await sql.query<{
    custom_user_id: string;
    registered_at: Date;
    fields: string;
    custom_attributes: string;
  }>(READ, [applicationId, customUserIds, attributes]);
  return new Map(
    rows.map((row) => [
      row.custom_user_id,
      {
        customUserId: row.custom_user_id,
        registeredAt: row.registered_at.getTime(),
        fields: parseExactJson(row.fields) as Record<string, unknown>,
        customAttributes: parseExactJson(row.custom_attributes) as Record<string, unknown>,
      },
    ]),
  );
}

/** Users per statement: bounds its time for large audiences. */
const USERS_PER_STEP = 10_000;

/**
 * For each path into `{...fields, customUserId, customAttributes}`, how many of these registered
 * users have no value there, or an empty text. As in Liquid, texts and lists have a `size`, and lists a
 * `first` and a `last`.
 */
export async function countUsersLacking(
  { sql }: Pick<Database, 'sql'>,
  {
    applicationId,
    customUserIds,
    paths,
  }: {
    readonly applicationId: string;
    readonly customUserIds: readonly string[];
    readonly paths: readonly (readonly string[])[];
  },
): Promise<number[]> {
  const counts = paths.map(() => 0);
  if (paths.length === 0) return counts;
  for (let from = 0; from < customUserIds.length; from += USERS_PER_STEP) {
    const { rows } = await sql.query<{ no: number; count: number }>(COUNT_LACKING, [
      applicationId,
      customUserIds.slice(from, from + USERS_PER_STEP),
      JSON.stringify(paths),
    ]);
    for (const { no, count } of rows) counts[no - 1] = (counts[no - 1] ?? 0) + count;
  }
  return counts;
}
