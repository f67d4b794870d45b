import { listCampaignsEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import { readAutomation } from '@tidings/automations/automations';
import type { AutomationFilter } from '@tidings/campaign-reports/campaign-origin';
import { listCampaigns } from '@tidings/campaign-reports/reports';
import { AppError, isUuid } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { readPage, toPage } from '../../http/page.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { listFoundCampaigns } from '../../queries/campaigns/list-found-campaigns.ts';

const RETRY_AFTER_SECONDS = 5;

/** All campaigns, or those that a text finds. */
export function listRoute({ db, inTime }: Pick<ApiDependencies, 'db' | 'inTime'>): Route {
  return defineRoute(listCampaignsEndpoint, async ({ res, query }) => {
    const applicationId = getApplicationId(res);
    const { limit, ...page } = readPage(query, isUuid);
    const { q: text, channel, status, source, tag } = query;
    const automation = await readAutomationFilter(db, applicationId, query);
    if (automation === null) return { items: [], nextCursor: null };
    const filters = {
      ...(channel && { channel }),
      ...(status && { status }),
      ...(source && { source }),
      ...(tag && { tag }),
      ...(automation && { automation }),
    };
    if (text === undefined) {
      const asked = { ...page, ...filters, limit: limit + 1 };
      const campaigns = await listCampaigns(db, applicationId, asked);
      return toPage(campaigns, limit, ({ campaignId }) => campaignId);
    }
    const asked = { ...page, applicationId, text, filters, limit };
    const found = await listFoundCampaigns(db, inTime, asked);
    if (found !== null) return found;
    throw new AppError('unavailable', 'The search took too long. Retry, or add a filter.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  });
}

/** Absent: not asked for. Null: there is no such automation. */
async function readAutomationFilter(
  db: Database,
  applicationId: string,
  { automation: named, node }: { readonly automation?: string; readonly node?: string },
): Promise<AutomationFilter | null | undefined> {
  if (named === undefined) return undefined;
  const automationId = isUuid(named)
    ? named
    : (await readAutomation(db.sql, { applicationId, slug: named }))?.id;
  return automationId === undefined ? null : { automationId, ...(node !== undefined && { node }) };
}
