import { RESOLVED_USERS_MAX } from '@tidings/api-spec/endpoints/users';
import { toE164 } from '@tidings/people/e164';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The customUserIds of each text, in their order: of a user with this id, else of those with this address. */
export async function resolveUsers(
  sql: Sql,
  {
    applicationId,
    defaultCountry,
    texts: written,
  }: {
    readonly applicationId: string;
    readonly defaultCountry: string | undefined;
    readonly texts: readonly string[];
  },
): Promise<{ readonly text: string; readonly customUserIds: string[] }[]> {
  const texts = written.map((text) => text.trim());
  const { rows } = await sql.query<{ ids: string[] }>(statement('resolve-users'), [
    applicationId,
    texts,
    texts.map((text) => toE164(text, defaultCountry)),
    RESOLVED_USERS_MAX,
  ]);
  return texts.map((text, index) => ({ text, customUserIds: rows[index]?.ids ?? [] }));
}
