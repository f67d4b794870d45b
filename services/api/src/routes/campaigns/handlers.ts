import {
  listCampaignWebhooksEndpoint,
  readReportEndpoint,
} from '@tidings/api-spec/endpoints/campaign-reports';
import {
  controlEndpoints,
  listCampaignEventsEndpoint,
  listCampaignsEndpoint,
  listDeliveriesEndpoint,
  readCampaignEndpoint,
} from '@tidings/api-spec/endpoints/campaigns';
import { countOf, filterOf } from '@tidings/api-spec/outcome-groups';
import type { CampaignAction, CampaignRecord } from '@tidings/contracts';
import { controlCampaign, type ControlOutcome } from '@tidings/delivery/control';
import { listCampaignEvents } from '@tidings/delivery/list-campaign-events';
import { listCampaigns, readCampaign } from '@tidings/delivery/reports';
import { AppError, assertNever, isUuid } from '@tidings/platform';
import type { Response } from 'express';
import { findDeliveries } from '../../queries/campaigns/find-deliveries.ts';
import { listCampaignWebhooks } from '../../queries/campaigns/list-campaign-webhooks.ts';
import { actorOf, applicationIdOf } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { handledBy, type Route } from '../../http/route.ts';
import { readPage, toPage, wrongCursor } from '../../http/page.ts';
import { reportOf } from './funnel.ts';

const isSequenceNumber = (text: string): boolean => /^\d{1,18}$/.test(text);

const NO_CAMPAIGN = 'This application has no campaign with this id.';

/** What became of campaigns: their records, deliveries and event logs; and what can be done to them. */
export function campaignRoutes({ db, logger }: ApiDependencies): Route[] {
  const find = async (res: Response, campaignId = ''): Promise<CampaignRecord> => {
    const campaign = await readCampaign(db, applicationIdOf(res), campaignId);
    if (campaign === null) throw new AppError('not_found', NO_CAMPAIGN);
    return campaign;
  };

  return [
    handledBy(listCampaignsEndpoint, async ({ res, query }) => {
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
    handledBy(readCampaignEndpoint, ({ res, params }) => find(res, params['campaignId'])),
    ...controlEndpoints.map(({ action, endpoint }) =>
      handledBy(endpoint, async ({ res, params }) => {
        const campaignId = String(params['campaignId']);
        const result = await controlCampaign(db, {
          applicationId: applicationIdOf(res),
          campaignId,
          action,
          actor: actorOf(res),
        });
        if (result.outcome !== 'done') throw refusalOf(action, result);
        logger.info({ campaignId, action }, 'campaign controlled');
        return find(res, campaignId);
      }),
    ),
    handledBy(listDeliveriesEndpoint, async ({ res, params, query }) => {
      const campaign = await find(res, params['campaignId']);
      const { limit, ...page } = readPage(query, isUuid);
      const { status, group, reason, customUserId } = query;
      const { states, reasons } = group === undefined ? {} : filterOf(group);
      // The counters know that there is none, without a look at each.
      const isNone = group !== undefined && countOf(group, campaign) === 0;
      const isContradiction =
        (status !== undefined && states?.includes(status) === false) ||
        (reason !== undefined && reasons?.includes(reason) === false);
      if (isNone || isContradiction) return { items: [], nextCursor: null };
      const found = await findDeliveries(db, campaign.campaignId, {
        ...page,
        limit,
        ...(states && { states }),
        ...(status && { states: [status] }),
        ...(reasons && { reasons }),
        ...(reason && { reasons: [reason] }),
        ...(customUserId !== undefined && { customUserId }),
      });
      if (found === null) throw wrongCursor();
      return found;
    }),
    handledBy(readReportEndpoint, async ({ res, params }) =>
      reportOf(await find(res, params['campaignId'])),
    ),
    handledBy(listCampaignWebhooksEndpoint, async ({ res, params, query }) => {
      const { campaignId, timing } = await find(res, params['campaignId']);
      return listCampaignWebhooks(db, {
        applicationId: applicationIdOf(res),
        campaignId,
        createdAt: timing.createdAt,
        ...readPage(query, isUuid),
      });
    }),
    handledBy(listCampaignEventsEndpoint, async ({ res, params, query }) => {
      const { campaignId } = await find(res, params['campaignId']);
      const { limit, ...page } = readPage(query, isSequenceNumber);
      const rows = await listCampaignEvents(db, campaignId, { ...page, limit: limit + 1 });
      return toPage(rows, limit, (row) => row.seq);
    }),
  ];
}

function refusalOf(action: CampaignAction, result: ControlOutcome): AppError {
  switch (result.outcome) {
    case 'not_found':
      return new AppError('not_found', NO_CAMPAIGN);
    case 'illegal':
      return new AppError(
        'conflict',
        `A campaign that is ${result.status} cannot be ${PARTICIPLES[action]}.`,
      );
    case 'nothing_to_retry':
      return new AppError('conflict', 'It has no failures that could be tried again.');
    case 'channel_not_ready':
      return new AppError('conflict', 'Its channel does not send: a test send must succeed first.');
    case 'recipients_forgotten':
      return new AppError(
        'conflict',
        'Its recipients are past their retention: nobody knows any more who they were.',
      );
    case 'done':
      throw new Error('what was done is no refusal');
    default:
      return assertNever(result);
  }
}

const PARTICIPLES = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'canceled',
  'retry-failed': 'tried again',
} as const satisfies Record<CampaignAction, string>;
