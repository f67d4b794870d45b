import { Type } from 'typebox';
import { LIMITS } from '../limits.ts';
import { STORABLE_LINE_NOT_BLANK } from '../storable-text.ts';

/** What people find a campaign by. No recipient gets to see it. */
export type CampaignNames = {
  /** Null: it is called by its title, or its text. */
  readonly name: string | null;
  readonly tags: readonly string[];
};

const NAME = {
  minLength: 1,
  maxLength: LIMITS.campaignNameCharsMax,
  pattern: STORABLE_LINE_NOT_BLANK,
  description: 'text of one line that is not blank',
} as const;

export const CAMPAIGN_TAG = {
  type: 'string',
  minLength: 1,
  maxLength: LIMITS.campaignTagCharsMax,
  pattern: STORABLE_LINE_NOT_BLANK,
  description: 'text of one line that is not blank',
} as const;

const TAGS = {
  maxItems: LIMITS.campaignTagsMax,
  uniqueItems: true,
  items: CAMPAIGN_TAG,
  description: 'different texts',
} as const;

/** The fields of a push by which people find its campaign. */
export const PUSH_NAME_FIELDS = {
  name: Type.Optional(Type.Unsafe<CampaignNames['name']>({ type: ['string', 'null'], ...NAME })),
  tags: Type.Optional(
    Type.Unsafe<CampaignNames['tags'] | null>({ type: ['array', 'null'], ...TAGS }),
  ),
};
