import { USER_TOKEN_ROTATION_HOURS } from '@tidings/contracts';
import type { SecretBox } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { newSecret } from './secret-hash.ts';

export type UserTokenSecret = {
  /** What is signed with: this text's own bytes in UTF-8, the prefix included. */
  readonly secret: string;
  /** Until when tokens of the secret before count too; null where there was none. */
  readonly previousSecretUntil: number | null;
};

/** Which row sealed secrets of user tokens stand in. */
export const userTokenSecretContext = (applicationId: string): string =>
  `${applicationId}|user-token`;

/**
 * Gives an application a new secret for user tokens, returned this once. Tokens of the one before count for some time, of
 * one older than that no more, nor of one that the key at hand does not open. Null when there is no such application.
 * @callers api
 */
export async function rotateUserTokenSecret(
  db: Database,
  box: SecretBox,
  applicationId: string,
): Promise<UserTokenSecret | null> {
  const secret = newSecret('ut');
  return db.transaction(async (sql) => {
    // Locks the application, so that of two calls the second knows the secret of the first.
    const { rowCount } = await sql.query('select 1 from applications where id = $1 for update', [
      applicationId,
    ]);
    if (rowCount === 0) return null;
    const [previous] = (await readEncrypted(sql, box, applicationId)).secrets;
    const secrets = previous === undefined ? [secret] : [secret, previous];
    const { rows } = await sql.query<{ until: Date | null }>(
      `insert into user_token_secrets (application_id, sealed_secrets, previous_secret_until)
       values ($1, $2, case when $3 then now() + $4::float8 * interval '1 hour' end)
       on conflict (application_id) do update
         set sealed_secrets = excluded.sealed_secrets, previous_secret_until = excluded.previous_secret_until, updated_at = now()
       returning previous_secret_until as until`,
      [
        applicationId,
        box.seal(JSON.stringify(secrets), userTokenSecretContext(applicationId)),
        secrets.length > 1,
        USER_TOKEN_ROTATION_HOURS,
      ],
    );
    return { secret, previousSecretUntil: rows[0]?.until?.getTime() ?? null };
  });
}

/** The secrets that count now, the newest first; none where there are none, or another ENCRYPTION_KEY sealed them. */
export async function readUserTokenSecrets(
  db: Database,
  box: SecretBox,
  applicationId: string,
): Promise<readonly string[]> {
  const { secrets, isPreviousLive } = await readEncrypted(db.sql, box, applicationId);
  return secrets.slice(0, isPreviousLive ? 2 : 1);
}

async function readEncrypted(
  sql: Sql,
  box: SecretBox,
  applicationId: string,
): Promise<{ readonly secrets: readonly string[]; readonly isPreviousLive: boolean }> {
  const { rows } = await sql.query<{ sealed: string; is_live: boolean }>(
    'select sealed_secrets as sealed, coalesce(previous_secret_until > now(), false) as is_live from user_token_secrets where application_id = $1',
    [applicationId],
  );
  const [row] = rows;
  if (row === undefined) return { secrets: [], isPreviousLive: false };
  try {
    return {
      secrets: JSON.parse(box.open(row.sealed, userTokenSecretContext(applicationId))) as string[],
      isPreviousLive: row.is_live,
    };
  } catch {
    // Nobody can be identified until the operator makes a new one, or brings the key back.
    return { secrets: [], isPreviousLive: false };
  }
}
