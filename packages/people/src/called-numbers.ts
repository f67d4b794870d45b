import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readIngestSettings } from './application-settings.ts';
import { calledNumber, type CalledNumber } from './e164.ts';

const statement = statementsIn(import.meta.dirname);

/** The numbers that messages to these registered users go to. A user without one is left out. */
export async function readCalledNumbers(
  sql: Sql,
  applicationId: string,
  customUserIds: readonly string[],
): Promise<ReadonlyMap<string, CalledNumber>> {
  const { defaultCountry } = (await readIngestSettings(sql, [applicationId]))(applicationId);
  const { rows } = await sql.query<{
    custom_user_id: string | null;
    phone: unknown;
    phone_e164: string | null;
  }>(statement('read-phones'), [applicationId, customUserIds]);
  return new Map(
    rows.flatMap(({ custom_user_id: id, phone, phone_e164: phoneE164 }) => {
      const called = calledNumber({ phoneNumber: phone, phoneE164 }, defaultCountry);
      return called === null || id === null ? [] : [[id, called] as const];
    }),
  );
}
