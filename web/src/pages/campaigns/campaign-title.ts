import type { PushMessage } from '@tidings/contracts/push/push';
import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import { nameLiquid } from './name-liquid.ts';

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
 * What a campaign is called: its name, else its title, else the beginning of its text without
 * markup, at most 70 characters. With Liquid in it, the names of the templates, if it has any; of
 * deleted ones the slugs. Otherwise Liquid is named by what it stands for; where nothing is filled in,
 * it is text.
 */
export function campaignTitle(campaign: Titled, names = NO_NAMES): string {
  const title = isTitledByTemplates(campaign)
    ? slugsOf(campaign)
        .map((slug) => names.get(slug) ?? slug)
        .join(' · ')
    : (campaign.name ?? ownTitle(campaign));
  return shorten(title);
}

export const isTitledByTemplates = (campaign: Titled): boolean =>
  campaign.name == null &&
  LIQUID.test(messageTitle(campaign.message)) &&
  slugsOf(campaign).length > 0;

const ownTitle = ({ message, templates }: Titled): string =>
  templates === null ? messageTitle(message) : nameLiquid(messageTitle(message));

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
