import {
  CAMPAIGN_SOURCES,
  type CampaignRecord,
  type CampaignSource,
} from '@tidings/contracts/push/campaigns';
import { listCampaigns } from '@tidings/campaign-reports/reports';
import type { Database } from '@tidings/postgres/database';
import { PAGE_PATIENCE, type InTime } from '../search/in-time.ts';
import { readPastedUuid, timeOfId } from '../search/pasted-id.ts';
import {
  findCampaigns,
  findCampaignsById,
  type CampaignFilters,
  type FoundCampaigns,
} from './find-campaigns.ts';

type FoundPage = {
  readonly items: readonly CampaignRecord[];
  readonly nextCursor: string | null;
  readonly lookedBackTo?: number;
};

/** A page of the campaigns that a text or a pasted id finds. Null: it took too long. */
export async function listFoundCampaigns(
  db: Database,
  inTime: InTime,
  {
    applicationId,
    text,
    filters,
    ...page
  }: {
    readonly applicationId: string;
    readonly text: string;
    readonly filters: CampaignFilters;
    readonly cursor?: string;
    readonly limit: number;
  },
): Promise<FoundPage | null> {
  const id = readPastedUuid(text);
  const { automation: _automation, ...others } = filters;
  const found = await inTime(
    applicationId,
    async (sql, hasTime): Promise<FoundCampaigns> =>
      id === null
        ? findCampaigns(sql, {
            ...page,
            ...others,
            applicationId,
            text,
            sources: sourcesOf(filters),
            hasTime,
          })
        : { ids: await findCampaignsById(sql, applicationId, id), nextCursor: null },
    PAGE_PATIENCE,
  );
  if (found === null) return null;
  const { ids, nextCursor } = found;
  const items = await listCampaigns(db, applicationId, { ...page, ...filters, ids });
  const isCut = nextCursor !== null && ids.length < page.limit;
  return { items, nextCursor, ...(isCut && { lookedBackTo: timeOfId(nextCursor) }) };
}

/** Campaigns of automations are found by their source or their automation, as they are listed. */
function sourcesOf({ source, automation }: CampaignFilters): readonly CampaignSource[] {
  if (automation !== undefined) return ['automation'];
  if (source !== undefined) return [source];
  return CAMPAIGN_SOURCES.filter((one) => one !== 'automation');
}
