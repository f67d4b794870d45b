import { listCampaignEvents, listCampaigns, listDeliveries, readCampaign } from '@tidings/db';
import type { CampaignRecord } from '@tidings/contracts';
import { AppError, isUuid } from '@tidings/platform';
import type { Response } from 'express';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import type { Route } from '../endpoint.ts';
import { readPage, toPage } from '../page.ts';
import { listCampaignEventsEndpoint, listCampaignsEndpoint, listDeliveriesEndpoint, readCampaignEndpoint } from './endpoints.ts';

const isSequenceNumber = (text: string): boolean => /^\d{1,18}$/.test(text);

/** What became of campaigns: their records, deliveries and event logs. */
export function campaignRoutes({ db }: DashboardDependencies): Route[] {
  const find = async (res: Response, campaignId = ''): Promise<CampaignRecord> => {
    const campaign = await readCampaign(db, applicationIdOf(res), campaignId);
    if (campaign === null) throw new AppError('not_found', 'This application has no campaign with this id.');
    return campaign;
  };

  return [
    listCampaignsEndpoint.handledBy(async ({ res, query }) => {
      const { limit, ...page } = readPage(query, isUuid);
      const { channel, status, source } = query;
      const campaigns = await listCampaigns(db, applicationIdOf(res), {
        ...page,
        limit: limit + 1,
        ...(channel && { channel }),
        ...(status && { status }),
        ...(source && { source }),
      });
      return toPage(campaigns, limit, (campaign) => campaign.campaignId);
    }),
    readCampaignEndpoint.handledBy(({ res, params }) => find(res, params['campaignId'])),
    listDeliveriesEndpoint.handledBy(async ({ res, params, query }) => {
      const { campaignId } = await find(res, params['campaignId']);
      const { limit, ...page } = readPage(query, isUuid);
      const { status, reason, customUserId } = query;
      const rows = await listDeliveries(db, campaignId, {
        ...page,
        limit: limit + 1,
        ...(status && { status }),
        ...(reason && { reason }),
        ...(customUserId !== undefined && { customUserId }),
      });
      return toPage(rows, limit, (row) => row.deliveryId);
    }),
    listCampaignEventsEndpoint.handledBy(async ({ res, params, query }) => {
      const { campaignId } = await find(res, params['campaignId']);
      const { limit, ...page } = readPage(query, isSequenceNumber);
      const rows = await listCampaignEvents(db, campaignId, { ...page, limit: limit + 1 });
      return toPage(rows, limit, (row) => row.seq);
    }),
  ];
}
