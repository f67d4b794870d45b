import { USER_TOKEN_ROTATION_HOURS } from '@tidings/contracts';
import type { SecretBox } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { newSecret } from './secret-hash.ts';

export type UserTokenSecret = {
  /** The signing key: the UTF-8 bytes of this text, prefix included. */
  readonly secret: string;
  /** Until when tokens signed with the previous secret are accepted; null when there is none. */
  readonly previousSecretUntil: number | null;
};

/** Binds the encrypted secrets to their row: secrets copied to another row cannot be decrypted. */
export const userTokenSecretContext = (applicationId: string): string =>
  `${applicationId}|user-token`;

/**
 * Creates a new user token secret and returns it; it is returned only here. Tokens of the previous
 * secret stay valid for `USER_TOKEN_ROTATION_HOURS`. Older secrets, and secrets that the current
 * key cannot decrypt, become invalid. Null when there is no such application.
 * @callers api
 */
export async function rotateUserTokenSecret(
  db: Database,
  box: SecretBox,
  applicationId: string,
): Promise<UserTokenSecret | null> {
  const secret = newSecret('ut');
  return db.transaction(async (sql) => {
    // Locks the application: of two concurrent rotations, the second must see the first one's
    // secret.
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

/**
 * The valid secrets, newest first. Empty when there is none, or when another ENCRYPTION_KEY
 * encrypted them.
 */
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
  const { rows } = await sql.query<{ encrypted: string; is_live: boolean }>(
    'select sealed_secrets as encrypted, coalesce(previous_secret_until > now(), false) as is_live from user_token_secrets where application_id = $1',
    [applicationId],
  );
  const [row] = rows;
  if (row === undefined) return { secrets: [], isPreviousLive: false };
  try {
    return {
      secrets: JSON.parse(
        box.open(row.encrypted, userTokenSecretContext(applicationId)),
      ) as string[],
      isPreviousLive: row.is_live,
    };
  } catch {
    // No user token is accepted until the operator rotates the secret or restores the key.
    return { secrets: [], isPreviousLive: false };
  }
}
