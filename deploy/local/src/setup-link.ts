import { issueSetupLink } from '@tidings/accounts/members/invitations';
import { setupUrl } from '@tidings/contracts';
import { connectDatabase } from '@tidings/postgres/database';
import type { LocalFile } from './local-file.ts';

/** A link by which the first owner is made, once, within 24 hours; null where there is one. */
export async function createSetupLink({
  databaseUrl,
  dashboardUrl,
}: Pick<LocalFile, 'databaseUrl' | 'dashboardUrl'>): Promise<string | null> {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'local' });
  const token = await issueSetupLink(db, Date.now()).finally(() => db.close());
  return token === null ? null : setupUrl(dashboardUrl, token);
}
