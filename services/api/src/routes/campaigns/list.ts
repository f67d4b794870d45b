import { listCampaignsEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import { listCampaigns } from '@tidings/campaign-reports/reports';
import { AppError, isUuid } from '@tidings/platform';
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
    const filters = {
      ...(channel && { channel }),
      ...(status && { status }),
      ...(source && { source }),
      ...(tag && { tag }),
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
