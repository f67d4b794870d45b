import type { Channel } from '@tidings/contracts/channels/channels';
import type { Trial } from '@tidings/contracts/push/push-winner';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { CampaignTemplate, TemplateVariant } from '@tidings/contracts/push/templates';
import { stringifyExactJson } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { shownBy } from '@tidings/liquid/filling';
import type { KeyedMessage } from './rendering/render-job.ts';
import type { RenderPool } from './rendering/render-pool.ts';

export type KeyedTemplate = {
  readonly share: number;
  readonly message: KeyedMessage;
  readonly variants: readonly (Pick<TemplateVariant, 'condition'> & {
    readonly message: KeyedMessage;
  })[];
};

/** The templates of a campaign. */
export type KnownCampaign = {
  readonly templates: readonly KeyedTemplate[];
  /** The custom attributes that they show; null: any. */
  readonly attributes: readonly string[] | null;
};

export type PersonalCampaign = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly channel: Channel;
  readonly templates: readonly CampaignTemplate[];
  readonly trial?: Trial | null;
};

/** Characters of the templates of the campaigns that are kept. */
const CONTENT_CHARS_MAX = 16 * 1024 * 1024;

/** Messages of a campaign never change. */
const campaigns = new LRUCache<string, Promise<KnownCampaign>>({
  max: 200,
  maxSize: CONTENT_CHARS_MAX,
});

/** What a campaign's templates need to know of a user, and keys for their messages. */
export function knowCampaign(pool: RenderPool, campaign: PersonalCampaign): Promise<KnownCampaign> {
  const { campaignId, templates } = campaign;
  const known = campaigns.get(campaignId);
  if (known !== undefined) return known;
  const asked = ask(pool, campaign);
  campaigns.set(campaignId, asked, { size: stringifyExactJson(templates).length });
  asked.catch(() => campaigns.delete(campaignId));
  return asked;
}

async function ask(
  pool: RenderPool,
  { campaignId, applicationId, channel, templates }: PersonalCampaign,
): Promise<KnownCampaign> {
  const messages: KeyedMessage[] = [];
  const withKey = (message: PushMessage): KeyedMessage => {
    const keyed = { key: `${campaignId}:${messages.length}`, message };
    messages.push(keyed);
    return keyed;
  };
  const keyed = templates.map(({ share, message, variants }): KeyedTemplate => ({
    share,
    message: withKey(message),
    variants: variants.map(({ condition, message: own }) => ({ condition, message: withKey(own) })),
  }));
  const variables = await pool.listVariables({ applicationId, channel, messages });
  return {
    templates: keyed,
    attributes: variables === null ? null : shownBy(variables).attributes,
  };
}
