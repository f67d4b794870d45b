import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readIngestSettings } from './application-settings.ts';
import { lockIdentities } from './deleted-identities.ts';
import { toE164 } from './e164.ts';

const statement = statementsIn(import.meta.dirname);

const FIRST_USER = '00000000-0000-0000-0000-000000000000';

/**
 * Requests normalisation of all phone numbers of an application, from the first user on; a run in
 * progress starts again. Call it in the transaction that changes the default country.
 * @callers people
 */
export async function requestPhoneNormalization(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('request-phone-normalization'), [applicationId, FIRST_USER]);
}

/**
 * One short step: normalises the numbers of up to `limit` users of one requested application. Skips
 * numbers with a country code. False when every requested application is done or locked by another
 * process.
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
    // Before the first step, waits for consumers that read the old country. Later ones read the new
    // one.
    if (due.after_user_id === FIRST_USER) await lockIdentities(sql, applicationId);
    const last = await normalizeAfter(sql, { applicationId, after: due.after_user_id, limit });
    if (last === null) await sql.query(statement('finish-phone-normalization'), [applicationId]);
    else await sql.query(statement('continue-phone-normalization'), [applicationId, last]);
    return true;
  });
}

/** The last user visited; null at the end. */
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
    const normalized = toE164(phone, defaultCountry);
    return normalized === phone_e164 ? [] : [{ id, normalized }];
  });
  await sql.query(statement('write-normalized-phones'), [
    changed.map(({ id }) => id),
    changed.map(({ normalized }) => normalized),
  ]);
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null);
}
