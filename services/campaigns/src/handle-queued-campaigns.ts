import { readTraceparent, type RecordBatch } from '@tidings/bus';
import type { CampaignQueueRecord } from '@tidings/contracts/ingest/records';
import { inSpanPerParent, isUuid } from '@tidings/platform';
import { expandSmall, type ExpansionDependencies } from './expand-small.ts';

/** Maximum records handled together. */
const RECORDS_PER_STEP = 100;

/**
 * Expands the small campaigns of a record batch. Others would delay it; `onOthers` wakes the loops
 * for large campaigns and for those to a segment.
 */
export async function handleQueuedCampaigns(
  deps: ExpansionDependencies & { readonly onOthers?: () => void },
  batch: RecordBatch,
): Promise<void> {
  for (let start = 0; start < batch.records.length; start += RECORDS_PER_STEP) {
    const records = batch.records.slice(start, start + RECORDS_PER_STEP);
    const campaignIds = records.flatMap((record) => {
      const campaignId = readCampaignId(record.value);
      if (campaignId === null)
        deps.logger.error({ offset: record.offset.toString() }, 'invalid campaign record skipped');
      return campaignId === null ? [] : [campaignId];
    });
    await inSpanPerParent(
      records.map(readTraceparent),
      { name: 'expand', attributes: { 'db.system.name': 'postgresql' } },
      () =>
        expandSmall(deps, [...new Set(campaignIds)], {
          signal: batch.signal,
          onStep: () => batch.heartbeat(),
          ...(deps.onOthers !== undefined && { onOthers: deps.onOthers }),
        }),
    );
    const last = records.at(-1);
    if (last !== undefined) await batch.resolve(last.offset);
  }
}

/** Null if the record is invalid: the campaign is in the table, where the sweep finds it. */
function readCampaignId(value: Buffer): string | null {
  try {
    const { campaignId } = JSON.parse(value.toString('utf8')) as Partial<CampaignQueueRecord>;
    return typeof campaignId === 'string' && isUuid(campaignId) ? campaignId : null;
  } catch {
    return null;
  }
}
