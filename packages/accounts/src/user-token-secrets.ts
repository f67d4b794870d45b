import { USER_TOKEN_ROTATION_HOURS } from '@tidings/contracts/client-side';
import type { SecretBox } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { lockApplicationToIssue } from './applications.ts';
import { newSecret } from './secret-hash.ts';

const statement = statementsIn(import.meta.dirname);

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
    if (!(await lockApplicationToIssue(sql, applicationId))) return null;
    const [previous] = (await readEncrypted(sql, box, applicationId)).secrets;
    const secrets = previous === undefined ? [secret] : [secret, previous];
    const { rows } = await sql.query<{ until: Date | null }>(
      statement('write-user-token-secrets'),
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
    statement('read-user-token-secrets'),
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
