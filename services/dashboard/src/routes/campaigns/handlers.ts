import { CAMPAIGN_SOURCES, CAMPAIGN_STATUSES, CHANNELS, DELIVERY_REASONS, DELIVERY_STATES } from '@tidings/contracts';
import { listCampaignEvents, listCampaigns, listDeliveries, readCampaign } from '@tidings/db';
import { AppError, isUuid } from '@tidings/platform';
import type { RequestHandler } from 'express';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { queryChoice, queryText, readPage, toPage } from '../page.ts';
import { idParameter, sendJson, type Route } from '../route.ts';

const isSequenceNumber = (text: string): boolean => /^\d{1,18}$/.test(text);

const NO_CAMPAIGN = 'This application has no campaign with this id.';

/** What became of campaigns: their records, deliveries and event logs. */
export function campaignRoutes({ db }: DashboardDependencies): Route[] {
  const list: RequestHandler = async (req, res) => {
    const { limit, ...page } = readPage(req, isUuid);
    const channel = queryChoice(req, 'channel', CHANNELS);
    const status = queryChoice(req, 'status', CAMPAIGN_STATUSES);
    const source = queryChoice(req, 'source', CAMPAIGN_SOURCES);
    const campaigns = await listCampaigns(db, applicationIdOf(res), {
      ...page,
      limit: limit + 1,
      ...(channel && { channel }),
      ...(status && { status }),
      ...(source && { source }),
    });
    sendJson(res, toPage(campaigns, limit, (campaign) => campaign.campaignId));
  };

  const read: RequestHandler = async (req, res) => {
    const campaign = await readCampaign(db, applicationIdOf(res), idParameter(req, 'campaignId'));
    if (campaign === null) throw new AppError('not_found', NO_CAMPAIGN);
    sendJson(res, campaign);
  };

  const deliveries: RequestHandler = async (req, res) => {
    const campaignId = idParameter(req, 'campaignId');
    if ((await readCampaign(db, applicationIdOf(res), campaignId)) === null) throw new AppError('not_found', NO_CAMPAIGN);
    const { limit, ...page } = readPage(req, isUuid);
    const status = queryChoice(req, 'status', DELIVERY_STATES);
    const reason = queryChoice(req, 'reason', DELIVERY_REASONS);
    const customUserId = queryText(req, 'customUserId');
    const rows = await listDeliveries(db, campaignId, {
      ...page,
      limit: limit + 1,
      ...(status && { status }),
      ...(reason && { reason }),
      ...(customUserId !== undefined && { customUserId }),
    });
    sendJson(res, toPage(rows, limit, (row) => row.deliveryId));
  };

  const events: RequestHandler = async (req, res) => {
    const campaignId = idParameter(req, 'campaignId');
    if ((await readCampaign(db, applicationIdOf(res), campaignId)) === null) throw new AppError('not_found', NO_CAMPAIGN);
    const { limit, ...page } = readPage(req, isSequenceNumber);
    const rows = await listCampaignEvents(db, campaignId, { ...page, limit: limit + 1 });
    sendJson(res, toPage(rows, limit, (row) => row.seq));
  };

  return [
    { method: 'GET', path: 'campaigns', access: 'reader', handle: list },
    { method: 'GET', path: 'campaigns/:campaignId', access: 'reader', handle: read },
    { method: 'GET', path: 'campaigns/:campaignId/deliveries', access: 'reader', handle: deliveries },
    { method: 'GET', path: 'campaigns/:campaignId/events', access: 'reader', handle: events },
  ];
}
