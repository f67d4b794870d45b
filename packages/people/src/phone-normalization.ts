import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readIngestSettings } from './application-settings.ts';
import { lockIdentities } from './deleted-identities.ts';
import { toE164 } from './e164.ts';

const statement = statementsIn(import.meta.dirname);

const FIRST_USER = '00000000-0000-0000-0000-000000000000';

/**
 * The default country of an application changes: the E.164 form of its users' numbers is to be renewed, from the first
 * user on, whatever was done before. In the transaction that changes it. @callers people
 */
export async function requestPhoneNormalization(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('request-phone-normalization'), [applicationId, FIRST_USER]);
}

/**
 * One short step: renews the numbers of up to `limit` users of an application that asked for it. False when no
 * application waits that another process is not at. Only numbers without a country of their own are looked at.
 * @callers scheduler
 */
export function normalizePhoneNumbers(db: Database, limit: number): Promise<boolean> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{ application_id: string; after_user_id: string }>(
      statement('lock-next-phone-normalization'),
    );
    const [due] = rows;
    if (due === undefined) return false;
    const applicationId = due.application_id;
    // Whoever read the old country writes it before the first step begins, and whoever comes later reads the new one.
    if (due.after_user_id === FIRST_USER) await lockIdentities(sql, applicationId);
    const last = await normalizeAfter(sql, { applicationId, after: due.after_user_id, limit });
    if (last === null) await sql.query(statement('finish-phone-normalization'), [applicationId]);
    else await sql.query(statement('continue-phone-normalization'), [applicationId, last]);
    return true;
  });
}

/** The last user that was looked at; null when there are no more. */
async function normalizeAfter(
  sql: Sql,
  {
    applicationId,
    after,
    limit,
  }: { readonly applicationId: string; readonly after: string; readonly limit: number },
): Promise<string | null> {
  const { rows } = await sql.query<{ id: string; phone: string; phone_e164: string | null }>(
    statement('lock-users-to-normalize'),
    [applicationId, after, limit],
  );
  const { defaultCountry } = (await readIngestSettings(sql, [applicationId]))(applicationId);
  const changed = rows.flatMap(({ id, phone, phone_e164 }) => {
    const renewed = toE164(phone, defaultCountry);
    return renewed === phone_e164 ? [] : [{ id, renewed }];
  });
  await sql.query(statement('write-normalized-phones'), [
    changed.map(({ id }) => id),
    changed.map(({ renewed }) => renewed),
  ]);
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null);
}
