import { readSentMessageEndpoint } from '@tidings/api-spec/endpoints/sent-messages';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { AppError } from '@tidings/platform';
import type { Response } from 'express';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { countQuestion } from '../../http/user-questions.ts';
import { readSentMessage } from '../../queries/campaigns/read-sent-message.ts';

type Dependencies = Pick<ApiDependencies, 'db' | 'questions' | 'questionRateOf'>;
type Find = (res: Response, campaignId?: string) => Promise<CampaignRecord>;

/** The message that a recipient got. */
export function sentMessageRoute(deps: Dependencies, find: Find): Route {
  return defineRoute(readSentMessageEndpoint, async ({ res, params }) => {
    countQuestion(deps, res);
    const answer = await readSentMessage(deps, getApplicationId(res), {
      campaign: await find(res, params['campaignId']),
      deliveryId: params['deliveryId'] ?? '',
    });
    if (answer === null)
      throw new AppError('not_found', 'This campaign has no delivery with this id.');
    return answer;
  });
}
