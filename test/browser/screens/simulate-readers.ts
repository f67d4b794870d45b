import { callApi, type ApiAccess, type LocalFile } from '@tidings/local';
import { eventually } from '@tidings/testing';

/** Of those whom the mail has reached so many open it, and so many of them follow its link. */
const OPENED = 11;
const CLICKED = 4;

type Mail = { readonly deliveryId: string; readonly to: string };

/** Some of those who got a campaign by e-mail read it; resolves when its report knows. */
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
  for (const mail of messages.slice(0, OPENED)) await performAction('opened', mail);
  for (const mail of messages.slice(0, CLICKED)) await performAction('clicked', mail);
  await eventually(
    async () => {
      const { counts } = await callApi<{ readonly counts: { readonly clicked: number } }>(
        { baseUrl, headers: { 'X-Application-Id': applicationId, 'X-API-Key': serverKey } },
        { path: `/api/v1/campaigns/${campaignId}` },
      );
      if (counts.clicked < CLICKED)
        throw new Error(`${counts.clicked} of ${CLICKED} are known to have followed the link.`);
    },
    { timeoutMs: 30_000 },
  );
}
