import { CAMPAIGN_SOURCES, type CampaignRecord } from '@tidings/contracts/push/campaigns';
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

/** Campaigns of automations are listed by their source, as in the list of all. */
const LISTED_SOURCES = CAMPAIGN_SOURCES.filter((source) => source !== 'automation');

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
  const { source } = filters;
  const sources = source === undefined ? LISTED_SOURCES : [source];
  const found = await inTime(
    applicationId,
    async (sql, hasTime): Promise<FoundCampaigns> =>
      id === null
        ? findCampaigns(sql, { ...page, ...filters, applicationId, text, sources, hasTime })
        : { ids: await findCampaignsById(sql, applicationId, id), nextCursor: null },
    PAGE_PATIENCE,
  );
  if (found === null) return null;
  const { ids, nextCursor } = found;
  const items = await listCampaigns(db, applicationId, { ...page, ...filters, ids });
  const isCut = nextCursor !== null && ids.length < page.limit;
  return { items, nextCursor, ...(isCut && { lookedBackTo: timeOfId(nextCursor) }) };
}
