import type { CampaignAutomation } from '@tidings/contracts/push/campaigns';
import { Type } from 'typebox';
import { Uuid } from './schemas.ts';

/** In the record of a campaign. */
export const CampaignAutomationSchema = Type.Unsafe<CampaignAutomation | null>({
  type: ['object', 'null'],
  description: 'The node whose messages it has, of an automation.',
  properties: {
    id: Uuid,
    slug: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    version: Type.Integer(),
    node: Type.String(),
  },
  required: ['id', 'slug', 'version', 'node'],
});

/** Parameters of the list of campaigns. */
export const AUTOMATION_QUERY = {
  automation: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The slug or the id of an automation: only its campaigns.',
    }),
  ),
  node: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'With `automation`: only those of this node.',
    }),
  ),
};
