import { LIMITS } from '@tidings/contracts/limits';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { CAMPAIGN_EXAMPLE, WINNER_EXAMPLE } from '../examples/campaigns.ts';
import { Uuid } from '../schemas.ts';
import { Campaign } from './campaigns.ts';

export const decideCampaignEndpoint = endpoint({
  access: 'reader',
  parameters: { campaignId: Uuid },
  name: 'decideCampaign',
  method: 'POST',
  path: 'campaigns/:campaignId/decision',
  summary: 'Send a template to those who wait for the better one',
  description:
    'Of a campaign with `winner`, before its time or after none was better. 409 unless the status is `sending`, recipients wait, and nothing was chosen.',
  body: Type.Object(
    {
      index: Type.Integer({
        minimum: 0,
        maximum: LIMITS.splitTemplatesMax - 1,
        description: 'the place of the template in `templates` of the campaign',
      }),
    },
    { additionalProperties: false },
  ),
  bodyExample: { index: 0 },
  recorded: ['index'],
  answer: {
    status: 200,
    description: 'The changed campaign.',
    schema: Campaign,
    example: { ...CAMPAIGN_EXAMPLE, status: 'sending', winner: WINNER_EXAMPLE },
  },
  errorStatuses: [404, 409],
});
