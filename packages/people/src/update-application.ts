import {
  changeApplicationRow,
  getApplication,
  type Application,
  type SettingsChange,
} from '@tidings/accounts/applications';
import type { Database } from '@tidings/postgres/database';
import { requestPhoneNormalization } from './phone-normalization.ts';

/**
 * Changes the named fields of an application. Settings are merged as a JSON merge patch (RFC 7396).
 * A new default country requests normalisation of the users' phone numbers, in the same
 * transaction. Null when there is no such application.
 * @callers api
 */
export async function updateApplication(
  db: Database,
  applicationId: string,
  change: { readonly name?: string; readonly settings?: SettingsChange },
): Promise<Application | null> {
  await db.transaction(async (sql) => {
    const changed = await changeApplicationRow(sql, applicationId, change);
    if (changed?.before.defaultCountry !== changed?.after.defaultCountry)
      await requestPhoneNormalization(sql, applicationId);
  });
  return getApplication(db, applicationId);
}
