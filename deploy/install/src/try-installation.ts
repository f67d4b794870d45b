import { revokeAdminTokenText } from '@tidings/accounts/admin-tokens';
import type { IngestAccepted } from '@tidings/contracts/ingest/ingest';
import type { CampaignRecord, PushAccepted } from '@tidings/contracts/push/campaigns';
import { flag, integer, text } from '@tidings/platform';
import { connectDatabase, databaseConfig } from '@tidings/postgres/database';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, callApi, type ApiAccess } from './api.ts';
import { adminAccess, createApplication, type Credentials } from './create-application.ts';
import { runCommand } from './run-command.ts';

const POLL_MS = 250;
const USER_ID = 'installation-test';

/**
 * Smoke test of an installation, run in the cluster: sends a batch of events and reads it back,
 * then sends an IN_APP message. Creates its own application.
 */
await runCommand({
  name: 'try-installation',
  config: {
    databaseUrl: databaseConfig.databaseUrl,
    gatewayUrl: text('GATEWAY_URL', 'URL of the gateway, as http://host:port.'),
    apiUrl: text('API_URL', 'URL of the service `api`, as http://host:port.'),
    withinSeconds: integer('TRY_WITHIN_SECONDS', 'Timeout of each step.', {
      default: 60,
      min: 1,
    }),
    hasCampaign: flag(
      'TRY_CAMPAIGN',
      'Also send an IN_APP message; needs the worker of that channel.',
      { default: true },
    ),
  },
  async run({ databaseUrl, gatewayUrl, apiUrl, withinSeconds, hasCampaign }, logger) {
    const name = `Installation test of ${new Date().toISOString()}`;
    const credentials = await createApplication({
      baseUrl: apiUrl,
      databaseUrl,
      name,
      tokenName: name,
    });
    const { applicationId, serverKey, adminToken } = credentials;
    const headers = { 'X-Application-Id': applicationId, 'X-API-Key': serverKey };
    const way: Way = {
      gateway: { baseUrl: gatewayUrl, headers },
      dashboard: { baseUrl: apiUrl, headers },
      admin: adminAccess(apiUrl, credentials),
      withinMs: withinSeconds * 1_000,
    };
    try {
      const { messages } = await tryIngest(way);
      logger.info({ applicationId, messages }, 'a batch was accepted, processed and read back');
      if (hasCampaign)
        logger.info(
          { applicationId, ...(await tryCampaign(way)) },
          'a campaign was accepted and completed',
        );
    } finally {
      await leaveNoWayIn(way, { databaseUrl, adminToken });
    }
  },
});

type IngestReport = {
  readonly complete: boolean;
  readonly messages: readonly { readonly outcome: string }[];
};
type Way = {
  readonly gateway: ApiAccess;
  readonly dashboard: ApiAccess;
  readonly admin: ApiAccess;
  readonly withinMs: number;
};

async function tryIngest({ gateway, dashboard, withinMs }: Way): Promise<{ messages: number }> {
  const time = Date.now();
  const messages = [
    { type: 'user', id: `user-${time}`, time, firstName: 'Installation' },
    { type: 'action', id: `action-${time}`, time, customName: 'installation_tested' },
  ];
  const { requestId } = await callApi<IngestAccepted>(gateway, {
    method: 'POST',
    path: '/',
    body: { customUserId: USER_ID, messages },
  });
  const report = await until(withinMs, `the receipts of request ${requestId}`, async () => {
    const found = await orUndefined(
      callApi<IngestReport>(dashboard, { path: `/api/v1/ingest/${requestId}` }),
    );
    return found?.complete ? found : undefined;
  });
  const other = report.messages.find(({ outcome }) => outcome !== 'processed');
  if (other !== undefined)
    throw new Error(`A message has the outcome ${other.outcome} instead of processed.`);
  await until(withinMs, 'the event of the user', async () => {
    const { items } = await callApi<{ items: readonly unknown[] }>(dashboard, {
      path: `/api/v1/users/${USER_ID}/events?limit=10`,
    });
    return items.length > 0 ? items : undefined;
  });
  return { messages: report.messages.length };
}

async function tryCampaign({
  gateway,
  dashboard,
  admin,
  withinMs,
}: Way): Promise<{ campaignId: string }> {
  await callApi(admin, { method: 'PUT', path: '/api/v1/channels/IN_APP', body: {} });
  const test = await callApi<{ ok: boolean }>(admin, {
    method: 'POST',
    path: '/api/v1/channels/IN_APP/test',
    body: { to: USER_ID },
  });
  if (!test.ok) throw new Error(`The test send failed: ${JSON.stringify(test)}`);
  const message = { title: 'It works', body: '<p>Sent by the installation test.</p>' };
  const { campaignId } = await callApi<PushAccepted>(gateway, {
    method: 'POST',
    path: '/push',
    body: { recipients: [USER_ID], channel: 'IN_APP', message },
  });
  const { counts } = await until(withinMs, `campaign ${campaignId}`, async () => {
    const campaign = await callApi<CampaignRecord>(dashboard, {
      path: `/api/v1/campaigns/${campaignId}`,
    });
    return campaign.status === 'completed' ? campaign : undefined;
  });
  if (counts.waiting + counts.successful !== 1)
    throw new Error(`Campaign ${campaignId} reached no user: ${JSON.stringify(counts)}`);
  return { campaignId };
}

/** Revokes the credentials of this run. The application stays for inspection. */
async function leaveNoWayIn(
  { admin }: Way,
  { databaseUrl, adminToken }: Pick<Credentials, 'adminToken'> & { readonly databaseUrl: string },
): Promise<void> {
  const { items } = await callApi<{ items: readonly { readonly id: string }[] }>(admin, {
    path: '/api/v1/keys',
  });
  for (const { id } of items)
    await callApi(admin, { method: 'DELETE', path: `/api/v1/keys/${id}` });
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'install' });
  await revokeAdminTokenText(db, adminToken).finally(() => db.close());
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function until<T>(
  withinMs: number,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await delay(POLL_MS)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline)
      throw new Error(`Timed out after ${withinMs / 1000} s waiting for ${what}.`);
  }
}
