import {
  listCampaignWebhooksEndpoint,
  readReportEndpoint,
} from '@tidings/api-spec/endpoints/campaign-reports';
import {
  changeCampaignEndpoint,
  controlEndpoints,
  listCampaignEventsEndpoint,
  listDeliveriesEndpoint,
  readCampaignEndpoint,
} from '@tidings/api-spec/endpoints/campaigns';
import { countGroup, getGroupFilter } from '@tidings/api-spec/outcome-groups';
import {
  resolveSchedule,
  scheduleFaults,
  type PushSchedule,
} from '@tidings/campaign-intake/schedule';
import type { CampaignAction, CampaignRecord } from '@tidings/contracts/push/campaigns';
import { changeCampaign, type ChangedCampaign } from '@tidings/delivery/change-campaign';
import { controlCampaign, type ControlOutcome } from '@tidings/delivery/control';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import type { CampaignReports } from '@tidings/campaign-reports/reports';
import { AppError, assertNever, isUuid } from '@tidings/platform';
import type { Response } from 'express';
import { countByAccount } from '../../queries/campaigns/count-by-account.ts';
import { findDeliveries } from '../../queries/campaigns/find-deliveries.ts';
import { withPeople } from '../../queries/users/read-people.ts';
import { listCampaignWebhooks } from '../../queries/campaigns/list-campaign-webhooks.ts';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { readPage, toPage, invalidCursor } from '../../http/page.ts';
import { listRoute } from './list.ts';
import { buildReport } from './report.ts';
import { nameTemplates } from '../../rendering/name-templates.ts';
import { sentMessageRoute } from './sent-message.ts';
import { campaignTemplateRoutes } from './template-handlers.ts';

const isSequenceNumber = (text: string): boolean => /^\d{1,18}$/.test(text);

const NO_LOCAL_TIME = {
  pointer: '/sendAtLocal',
  code: 'invalid_value',
  expected: 'sendAt: the campaign has a winner',
} as const;
const NO_CAMPAIGN = 'This application has no campaign with this id.';

/** Campaign records, deliveries, event logs and controls. */
export function campaignRoutes(
  deps: ApiDependencies & { readonly reports: CampaignReports },
): Route[] {
  const { db, logger, reports } = deps;
  const find = async (res: Response, campaignId = ''): Promise<CampaignRecord> => {
    const campaign = await reports.read(getApplicationId(res), campaignId);
    if (campaign === null) throw new AppError('not_found', NO_CAMPAIGN);
    return campaign;
  };

  return [
    listRoute(deps),
    defineRoute(readCampaignEndpoint, ({ res, params }) => find(res, params['campaignId'])),
    ...controlEndpoints.map(({ action, endpoint }) =>
      defineRoute(endpoint, async ({ res, params }) => {
        const campaignId = String(params['campaignId']);
        const result = await controlCampaign(db, {
          applicationId: getApplicationId(res),
          campaignId,
          action,
          actor: getActor(res),
        });
        if (result.outcome !== 'done') throw controlError(action, result);
        logger.info({ campaignId, action }, 'campaign controlled');
        return find(res, campaignId);
      }),
    ),
    defineRoute(changeCampaignEndpoint, async ({ res, params, body }) => {
      const campaignId = String(params['campaignId']);
      const { name, tags } = body;
      const schedule = readSchedule(body);
      if (body.sendAtLocal !== undefined && (await find(res, campaignId)).winner !== null)
        throw new AppError('validation_failed', 'The time is not valid.', {
          errors: [NO_LOCAL_TIME],
        });
      const result = await changeCampaign(db, {
        applicationId: getApplicationId(res),
        campaignId,
        actor: getActor(res),
        ...(name !== undefined && { name }),
        ...(tags !== undefined && { tags: tags ?? [] }),
        ...(schedule !== null && { time: await resolveSchedule(db, schedule) }),
      });
      if (result.outcome !== 'done') throw changeError(result);
      return find(res, campaignId);
    }),
    defineRoute(listDeliveriesEndpoint, async ({ res, params, query }) => {
      const campaign = await find(res, params['campaignId']);
      const { limit, ...page } = readPage(query, isUuid);
      const { status, group, reason, customUserId } = query;
      const { states, reasons } = group === undefined ? {} : getGroupFilter(group);
      // The counters show that there is none; no scan needed.
      const isNone = group !== undefined && countGroup(group, campaign) === 0;
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
      if (found === null) throw invalidCursor();
      const items = found.items.map(nameTemplates(campaign));
      return { ...found, items: await withPeople(db.sql, getApplicationId(res), items) };
    }),
    ...campaignTemplateRoutes(deps, { find, applicationIdOf: getApplicationId }),
    sentMessageRoute(deps, find),
    defineRoute(readReportEndpoint, async ({ res, params }) => {
      const campaign = await find(res, params['campaignId']);
      return buildReport(campaign, await countByAccount(db, campaign.campaignId));
    }),
    defineRoute(listCampaignWebhooksEndpoint, async ({ res, params, query }) => {
      const { campaignId, timing } = await find(res, params['campaignId']);
      return listCampaignWebhooks(db, {
        applicationId: getApplicationId(res),
        campaignId,
        createdAt: timing.createdAt,
        ...readPage(query, isUuid),
      });
    }),
    defineRoute(listCampaignEventsEndpoint, async ({ res, params, query }) => {
      const { campaignId } = await find(res, params['campaignId']);
      const { limit, ...page } = readPage(query, isSequenceNumber);
      const rows = await listCampaignEvents(db, campaignId, { ...page, limit: limit + 1 });
      return toPage(rows, limit, (row) => row.seq);
    }),
  ];
}

function controlError(action: CampaignAction, result: ControlOutcome): AppError {
  switch (result.outcome) {
    case 'not_found':
      return new AppError('not_found', NO_CAMPAIGN);
    case 'illegal':
      return new AppError(
        'conflict',
        `A ${result.status} campaign cannot be ${PARTICIPLES[action]}.`,
      );
    case 'nothing_to_retry':
      return new AppError('conflict', 'The campaign has no failures that can be retried.');
    case 'channel_not_ready':
      return new AppError('conflict', 'The channel is not ready: a test send must succeed first.');
    case 'is_open':
      return new AppError(
        'conflict',
        'An automation appends to this campaign. Pause the automation, or cancel the campaign.',
      );
    case 'recipients_forgotten':
      return new AppError('conflict', 'The recipients were deleted after their retention.');
    case 'done':
      throw new Error('unreachable: the action was done');
    default:
      return assertNever(result);
  }
}

/** Null: the time stays. @throws AppError validation_failed */
function readSchedule(body: {
  readonly sendAt?: number;
  readonly sendAtLocal?: string;
}): PushSchedule | null {
  const errors = scheduleFaults(body);
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The time is not valid.', { errors });
  const { sendAt, sendAtLocal } = body;
  if (sendAt !== undefined) return { sendAt };
  return sendAtLocal === undefined ? null : { sendAtLocal };
}

function changeError(result: ChangedCampaign): AppError {
  switch (result.outcome) {
    case 'not_found':
      return new AppError('not_found', NO_CAMPAIGN);
    case 'illegal':
      return new AppError('conflict', `A ${result.status} campaign cannot get another time.`);
    case 'done':
      throw new Error('unreachable: the campaign was changed');
    default:
      return assertNever(result);
  }
}

const PARTICIPLES = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'canceled',
  'retry-failed': 'retried',
} as const satisfies Record<CampaignAction, string>;
