import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import type { Sql } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const READ_SETTINGS = definePreparedByKeys(statement('read-ingest-settings'));

/**
 * Settings that consumers need. Read in the transaction that applies the records, so that a change
 * takes effect at once.
 */
export type IngestSettings = Pick<
  ApplicationSettings,
  'defaultCountry' | 'dedupeResolvedUsers' | 'clientKeysChangeContacts' | 'userTokens'
>;

/** The settings of each application. An unknown application has the defaults. */
export async function readIngestSettings(
  sql: Sql,
  applicationIds: Iterable<string>,
): Promise<(applicationId: string) => IngestSettings> {
  const { rows } = await sql.query<{ id: string; settings: ApplicationSettings }>(READ_SETTINGS, [
    [...new Set(applicationIds)],
  ]);
  const settings = new Map(rows.map((row) => [row.id, row.settings]));
  return (applicationId) => settings.get(applicationId) ?? {};
}
