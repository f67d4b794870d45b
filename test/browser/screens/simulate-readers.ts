import { callApi, type ApiAccess, type LocalFile } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { setTimeout as delay } from 'node:timers/promises';

/** The number of recipients who open the e-mail, and of those who click its link. */
const OPENED = 11;
const CLICKED = 4;

/** Who opens or clicks within a second of the arrival counts as a machine. */
const PEOPLE_AFTER_MS = 1_500;

type Mail = { readonly deliveryId: string; readonly to: string };

/** Simulates recipients who open and click a campaign's e-mail. Resolves once the report counts them. */
export async function simulateReaders(
  { baseUrl, sandboxUrl, applicationId, serverKey }: LocalFile,
  campaignId: string,
): Promise<void> {
  const sandbox: ApiAccess = { baseUrl: sandboxUrl, headers: {} };
  const { messages } = await callApi<{ readonly messages: readonly Mail[] }>(sandbox, {
    path: `/api/messages?campaignId=${campaignId}&limit=100`,
  });
  const performAction = (name: 'opened' | 'clicked', { deliveryId, to }: Mail) =>
    callApi(sandbox, {
      method: 'POST',
      path: '/api/actions',
      body: { campaignId, deliveryId, to, action: name },
    });
  await delay(PEOPLE_AFTER_MS);
  for (const mail of messages.slice(0, OPENED)) await performAction('opened', mail);
  for (const mail of messages.slice(0, CLICKED)) await performAction('clicked', mail);
  await eventually(
    async () => {
      const { counts } = await callApi<{ readonly counts: { readonly clicked: number } }>(
        { baseUrl, headers: { 'X-Application-Id': applicationId, 'X-API-Key': serverKey } },
        { path: `/api/v1/campaigns/${campaignId}` },
      );
      if (counts.clicked < CLICKED)
        throw new Error(`Only ${counts.clicked} of ${CLICKED} clicks are counted.`);
    },
    { timeoutMs: 30_000 },
  );
}
