import { decideCampaignEndpoint } from '@tidings/api-spec/endpoints/campaign-decisions';
import {
  compareTemplatesEndpoint,
  renderCampaignEndpoint,
} from '@tidings/api-spec/endpoints/campaign-templates';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { PushMessage } from '@tidings/contracts/push/push';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import { readContexts } from '@tidings/delivery/delivery-contexts';
import { compareTemplates } from '@tidings/decisions/compare-templates';
import { chooseByHand } from '@tidings/decisions/decide';
import { AppError } from '@tidings/platform';
import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { renderCampaign } from '@tidings/templates/render-campaign';
import type { Response } from 'express';
import type { ApiDependencies } from '../../dependencies.ts';
import { getActor } from '../../auth/access.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { answered, countQuestion } from '../../http/user-questions.ts';
import { answerRendered } from '../../rendering/answer-rendered.ts';

const TOO_SLOW = 'The answer took too long. Retry.';

type TemplateDependencies = Pick<ApiDependencies, 'db' | 'questions' | 'questionRateOf' | 'clock'>;
type Find = (res: Response, campaignId?: string) => Promise<CampaignRecord>;

/** What a campaign's templates came to, and its message for a user. */
export function campaignTemplateRoutes(
  deps: TemplateDependencies,
  {
    find,
    applicationIdOf,
  }: { readonly find: Find; readonly applicationIdOf: (res: Response) => string },
): Route[] {
  const { questions, clock } = deps;
  return [
    defineRoute(compareTemplatesEndpoint, async ({ res, params }) => {
      const { campaignId, channel, templates, winner } = await find(res, params['campaignId']);
      if (templates === null)
        return {
          items: [],
          best: { opened: null, clicked: null },
          rest: null,
          asOf: clock.now(),
        };
      return answered(
        await questions.ask(applicationIdOf(res), async (sql, now) => ({
          ...(await compareTemplates(sql, { campaignId, channel, templates, trial: winner })),
          asOf: now,
        })),
        TOO_SLOW,
      );
    }),
    defineRoute(decideCampaignEndpoint, async ({ res, params, body: { index } }) => {
      const { campaignId, templates } = await find(res, params['campaignId']);
      if (templates?.[index] === undefined)
        throw new AppError('validation_failed', 'The campaign has no such template.', {
          errors: [
            { pointer: '/index', code: 'out_of_range', expected: 'a place in its templates' },
          ],
        });
      const actor = getActor(res);
      const which = { applicationId: applicationIdOf(res), campaignId, index, actor };
      if (!(await chooseByHand(deps.db, which)))
        throw new AppError('conflict', 'No recipients of this campaign wait for a choice.');
      return find(res, campaignId);
    }),
    defineRoute(renderCampaignEndpoint, async ({ res, params, body }) => {
      countQuestion(deps, res);
      const { campaignId, channel, message, templates } = await find(res, params['campaignId']);
      return {
        ...(templates === null
          ? { ...answerAsWritten(channel, message), template: null, variant: null }
          : await renderNow(deps, campaignId, body.customUserId)),
        asOf: clock.now(),
      };
    }),
  ];
}

/** A message that is the same for all recipients. */
const answerAsWritten = (channel: Channel, message: PushMessage) => ({
  message,
  ...(channel === 'EMAIL' &&
    typeof message.body === 'string' && { isHtml: isHtmlMessage(message) }),
});

/**
 * @throws AppError `not_found` for a user who is not registered, `unavailable` if too many ask or
 * conditions take too long
 */
async function renderNow(
  { db, questions }: TemplateDependencies,
  campaignId: string,
  customUserId: string,
) {
  const campaign = (await readCampaignsToSend(db.sql, [campaignId])).get(campaignId);
  const { templates = null } = campaign ?? {};
  if (campaign === undefined || templates === null)
    throw new Error('a campaign that was found is not found');
  const contexts = await readContexts(db.sql, campaignId, [customUserId]);
  const rendered = answered(
    await questions.withPlace(campaign.applicationId, (bounded) =>
      renderCampaign(
        bounded,
        { ...campaign, templates },
        { customUserIds: [customUserId], contexts },
      ),
    ),
    TOO_SLOW,
  );
  const result = rendered.get(customUserId) ?? null;
  if (result === null)
    throw new AppError('not_found', 'No user with this customUserId is registered.');
  const { templateNo, variantNo } = result;
  const { slug = null, version = null, variants = [] } = templates[templateNo] ?? {};
  return {
    ...answerRendered(result.message),
    template: { slug, version },
    variant: variantNo === null ? null : (variants[variantNo]?.name ?? null),
  };
}
