import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { callApi } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { Scene } from '../task.ts';

const SENT_WITHIN = { timeoutMs: 60_000, intervalMs: 200 };

/** Sends a campaign by the API. Returns its id. */
export async function push({ asServer }: Scene, body: object): Promise<string> {
  const { campaignId } = await callApi<{ readonly campaignId: string }>(asServer, {
    method: 'POST',
    path: '/push',
    body,
  });
  return campaignId;
}

export const readCampaign = ({ asServer }: Scene, campaignId: string): Promise<CampaignRecord> =>
  callApi<CampaignRecord>(asServer, { path: `/api/v1/campaigns/${campaignId}` });

/** Resolves once the campaign has this status. */
export async function awaitStatus(
  scene: Scene,
  campaignId: string,
  wanted: CampaignRecord['status'],
): Promise<CampaignRecord> {
  return eventually(async () => {
    const campaign = await readCampaign(scene, campaignId);
    if (campaign.status !== wanted)
      throw new Error(`The campaign is ${campaign.status}, not ${wanted}.`);
    return campaign;
  }, SENT_WITHIN);
}

/** The id of the campaign whose report the page shows. */
export const campaignIdOf = (url: string): string =>
  /\/campaigns\/([\da-f-]{36})/.exec(url)?.[1] ?? '';

/** What the sandbox received: of a campaign, a channel or an address. Newest first. */
export async function received(
  { sandbox }: Scene,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly count: number; readonly messages: readonly { readonly title: string }[] }> {
  const text = new URLSearchParams({ ...query, limit: '1' }).toString();
  return callApi(sandbox, { path: `/api/messages?${text}` });
}
