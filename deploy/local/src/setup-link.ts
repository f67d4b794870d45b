import { issueSetupLink } from '@tidings/accounts/members/invitations';
import { setupUrl } from '@tidings/contracts/members';
import { connectDatabase } from '@tidings/postgres/database';
import type { LocalFile } from './local-file.ts';

/**
 * Creates the setup link for the first owner. It works once, within 24 hours. Null if there is an
 * owner.
 */
export async function createSetupLink({
  databaseUrl,
  dashboardUrl,
}: Pick<LocalFile, 'databaseUrl' | 'dashboardUrl'>): Promise<string | null> {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'local' });
  const token = await issueSetupLink(db, Date.now()).finally(() => db.close());
  return token === null ? null : setupUrl(dashboardUrl, token);
}
