import type { Batch } from '@tidings/bus';
import type { CampaignAnnouncement } from '@tidings/contracts';
import { isUuid } from '@tidings/platform';
import { expandCampaign, expandTogether, type ExpansionDependencies } from './expand-campaign.ts';

/** As many announcements as are looked at together: small campaigns among them first, then one large one after another. */
const RECORDS_PER_STEP = 100;

/** Expands the campaigns that are announced; what is left of one when the process ends, the next one goes on with. */
export async function handleAnnouncements(deps: ExpansionDependencies, batch: Batch): Promise<void> {
  for (let start = 0; start < batch.records.length; start += RECORDS_PER_STEP) {
    const records = batch.records.slice(start, start + RECORDS_PER_STEP);
    const announced = records.flatMap((record) => {
      const campaignId = readAnnouncement(record.value);
      if (campaignId === null) deps.logger.error({ offset: record.offset.toString() }, 'unreadable announcement passed over');
      return campaignId === null ? [] : [campaignId];
    });
    const onStep = (): Promise<void> => batch.heartbeat();
    const large = await expandTogether(deps, [...new Set(announced)], batch.signal);
    await onStep();
    for (const campaignId of large) await expandCampaign(deps, campaignId, { signal: batch.signal, onStep });
    const last = records.at(-1);
    if (last !== undefined) await batch.resolve(last.offset);
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
