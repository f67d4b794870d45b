import type { PushMessage } from '@tidings/contracts/push/push';
import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';

const CHARS_MAX = 70;

/** Text with Liquid is no title. */
const LIQUID = /{{|{%/;

const NO_NAMES: ReadonlyMap<string, string> = new Map();

type Titled = {
  readonly name?: string | null;
  readonly message: PushMessage;
  readonly templates?: readonly NamedCampaignTemplate[] | null;
};

/**
 * What a campaign is called, in at most 70 characters: its name, else its title, else the beginning of its text without
 * markup. Where Liquid is in that, the names of its templates, if it has any; of deleted ones the slugs.
 */
export function campaignTitle(campaign: Titled, names = NO_NAMES): string {
  return shorten(campaign.name ?? titleOf(campaign, names));
}

const titleOf = (campaign: Titled, names: typeof NO_NAMES): string =>
  isTitledByTemplates(campaign)
    ? slugsOf(campaign)
        .map((slug) => names.get(slug) ?? slug)
        .join(' · ')
    : messageTitle(campaign.message);

export const isTitledByTemplates = (campaign: Titled): boolean =>
  campaign.name == null &&
  LIQUID.test(messageTitle(campaign.message)) &&
  slugsOf(campaign).length > 0;

const slugsOf = ({ templates }: Titled): string[] =>
  (templates ?? []).flatMap(({ slug }) => slug ?? []);

function messageTitle(message: PushMessage): string {
  const body = typeof message.body === 'string' ? message.body : JSON.stringify(message.body);
  const plain = body
    .replaceAll(/<(style|script|head)[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return message.title?.trim() || plain || 'No text';
}

function shorten(title: string): string {
  const chars = Array.from(title);
  return chars.length > CHARS_MAX
    ? `${chars
        .slice(0, CHARS_MAX - 1)
        .join('')
        .trimEnd()}…`
    : title;
}
