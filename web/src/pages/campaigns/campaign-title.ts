import type { PushMessage } from '@tidings/contracts';

const CHARS_MAX = 70;

/** The name of a campaign: its title, else the beginning of its text without markup, at most 70 characters. */
export function campaignTitle({ message }: { readonly message: PushMessage }): string {
  const body = typeof message.body === 'string' ? message.body : JSON.stringify(message.body);
  const plain = body
    .replaceAll(/<(style|script|head)[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const title = message.title?.trim() || plain || 'No text';
  const chars = Array.from(title);
  return chars.length > CHARS_MAX
    ? `${chars
        .slice(0, CHARS_MAX - 1)
        .join('')
        .trimEnd()}…`
    : title;
}
