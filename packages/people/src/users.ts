import { parseExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type UserRecord = {
  readonly userId: string;
  readonly customUserId: string;
  readonly serviceUserIds: readonly string[];
  readonly registeredAt: number;
  readonly updatedAt: number;
  readonly profile: Readonly<Record<string, unknown>> & {
    readonly customAttributes: Readonly<Record<string, unknown>>;
  };
  /** The phone number in E.164; null when the profile has no valid one. */
  readonly phoneE164: string | null;
};

/**
 * A registered user of this application with its profile, or null. Integers beyond 2^53 are
 * bigints.
 */
export async function readUser(
  db: Database,
  applicationId: string,
  customUserId: string,
): Promise<UserRecord | null> {
  const { rows } = await db.sql.query<{
    id: string;
    registered_at: Date;
    updated_at: Date;
    fields: string;
    custom_attributes: string;
    phone_e164: string | null;
    service_user_ids: string[];
  }>(statement('read-user'), [applicationId, customUserId]);
  const [row] = rows;
  if (row === undefined) return null;
  return {
    userId: row.id,
    customUserId,
    serviceUserIds: row.service_user_ids,
    registeredAt: row.registered_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    profile: {
      ...(parseExactJson(row.fields) as Record<string, unknown>),
      customAttributes: parseExactJson(row.custom_attributes) as Record<string, unknown>,
    },
    phoneE164: row.phone_e164,
  };
}
