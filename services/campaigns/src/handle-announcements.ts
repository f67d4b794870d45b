import type { Batch } from '@tidings/bus';
import type { CampaignAnnouncement } from '@tidings/contracts';
import { isUuid } from '@tidings/platform';
import { expandCampaign, type ExpansionDependencies } from './expand-campaign.ts';

/** Expands one announced campaign after another; what is left of one when the process ends, the next one goes on with. */
export async function handleAnnouncements(deps: ExpansionDependencies, batch: Batch): Promise<void> {
  for (const record of batch.records) {
    const campaignId = readAnnouncement(record.value);
    if (campaignId === null) deps.logger.error({ offset: record.offset.toString() }, 'unreadable announcement passed over');
    else await expandCampaign(deps, campaignId, { signal: batch.signal, onStep: () => batch.heartbeat() });
    await batch.resolve(record.offset);
  }
}

/** Null for what is none: the campaign is in the table, where the sweep finds it. */
function readAnnouncement(value: Buffer): string | null {
  try {
    const { campaignId } = JSON.parse(value.toString('utf8')) as Partial<CampaignAnnouncement>;
    return typeof campaignId === 'string' && isUuid(campaignId) ? campaignId : null;
  } catch {
    return null;
  }
}
