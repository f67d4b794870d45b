import type { NamedCampaignTemplate, PushMessage } from '@tidings/contracts';

const CHARS_MAX = 70;

/** Text with Liquid is no title. */
const LIQUID = /{{|{%/;

type Titled = {
  readonly message: PushMessage;
  readonly templates?: readonly NamedCampaignTemplate[] | null;
};

/**
 * The name of a campaign: its title, else the beginning of its text without markup, at most 70 characters. With Liquid
 * in it, the slugs of the templates, if it has any.
 */
export function campaignTitle({ message, templates }: Titled): string {
  const slugs = (templates ?? []).flatMap(({ slug }) => slug ?? []);
  const title = messageTitle(message);
  return LIQUID.test(title) && slugs.length > 0 ? shorten(slugs.join(', ')) : shorten(title);
}

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
