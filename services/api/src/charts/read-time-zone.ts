import { getApplication } from '@tidings/accounts/applications';
import { DEFAULT_TIME_ZONE } from '@tidings/contracts/policies';
import { isTimeZone } from '@tidings/contracts/time-zones';
import type { Database } from '@tidings/postgres/database';

/** The time zone of the application's charts. */
export async function readTimeZone(db: Database, applicationId: string): Promise<string> {
  const timeZone = (await getApplication(db, applicationId))?.settings.timeZone;
  return timeZone !== undefined && isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_ZONE;
}
