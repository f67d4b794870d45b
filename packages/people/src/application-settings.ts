import type { ApplicationSettings } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** What consumers ask of an application; read in the transaction that applies it, so that a change holds at once. */
export type IngestSettings = Pick<
  ApplicationSettings,
  'defaultCountry' | 'dedupeResolvedUsers' | 'clientKeysChangeContacts' | 'userTokens'
>;

/** The settings of each of the applications; an application nobody knows has the defaults. */
export async function readIngestSettings(
  sql: Sql,
  applicationIds: Iterable<string>,
): Promise<(applicationId: string) => IngestSettings> {
  const { rows } = await sql.query<{ id: string; settings: ApplicationSettings }>(
    statement('read-ingest-settings'),
    [[...new Set(applicationIds)]],
  );
  const settings = new Map(rows.map((row) => [row.id, row.settings]));
  return (applicationId) => settings.get(applicationId) ?? {};
}
