import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

type Whose = { readonly applicationId: string; readonly memberId: string };

/** Whom a member sends tests in an application: user ids, e-mail addresses, phone numbers. */
export async function readTestAddresses(
  { sql }: Pick<Database, 'sql'>,
  { applicationId, memberId }: Whose,
): Promise<readonly string[]> {
  const { rows } = await sql.query<{ addresses: string[] }>(statement('read-test-addresses'), [
    applicationId,
    memberId,
  ]);
  return rows[0]?.addresses ?? [];
}

/** Replaces them. @callers api */
export async function writeTestAddresses(
  { sql }: Pick<Database, 'sql'>,
  { applicationId, memberId, addresses }: Whose & { readonly addresses: readonly string[] },
): Promise<void> {
  await sql.query(statement('write-test-addresses'), [applicationId, memberId, addresses]);
}

/** Removes a deleted user's id and addresses, in any letter case. @callers user-data */
export async function forgetPersonInTestAddresses(
  { sql }: Pick<Database, 'sql'>,
  {
    applicationId,
    customUserId,
    addresses,
  }: {
    readonly applicationId: string;
    readonly customUserId: string;
    readonly addresses: readonly string[];
  },
): Promise<void> {
  await sql.query(statement('forget-in-test-addresses'), [
    applicationId,
    [customUserId, ...addresses],
  ]);
}
