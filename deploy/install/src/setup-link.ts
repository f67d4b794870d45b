import { issueSetupLink } from '@tidings/accounts/members/invitations';
import { setupUrl } from '@tidings/contracts/members';
import { apiConfig } from '@tidings/api/src/config.ts';
import { resolveDashboardUrl } from '@tidings/api/src/dashboard-url.ts';
import { connectDatabase } from '@tidings/postgres/database';
import { runCommand } from './run-command.ts';

const { databaseUrl, port, publicBaseUrl, dashboardUrl } = apiConfig;

/**
 * `setup-link.ts`: prints the link that creates the first owner. It works once, within 24 hours.
 * Fails if there is an owner.
 */
await runCommand({
  name: 'setup-link',
  config: { databaseUrl, port, publicBaseUrl, dashboardUrl },
  async run(config) {
    const url = resolveDashboardUrl(config);
    const db = connectDatabase({
      databaseUrl: config.databaseUrl,
      poolMax: 1,
      applicationName: 'install',
    });
    const token = await issueSetupLink(db, Date.now()).finally(() => db.close());
    if (token === null)
      throw new Error(
        'this installation already has an owner; owners invite other members in the dashboard',
      );
    process.stdout.write(`${setupUrl(url, token)}\n`);
  },
});
