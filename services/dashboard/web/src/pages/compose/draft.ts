import type { Channel } from '@tidings/contracts';

/** What somebody has filled in so far, all as text. */
export type Draft = {
  readonly channel: Channel;
  readonly recipients: string;
  readonly purpose: 'transactional' | 'marketing';
  readonly fields: Readonly<Record<string, string>>;
};

export type MessageField = { readonly name: string; readonly label: string; readonly kind?: 'long' | 'number' | 'json' | 'choice'; readonly hint?: string; readonly choices?: readonly string[]; readonly isNeeded?: boolean };

const title: MessageField = { name: 'title', label: 'Title' };
const url: MessageField = { name: 'url', label: 'Link', hint: 'Where a click leads' };
const icon: MessageField = { name: 'icon', label: 'Icon’s address' };
const buttons: MessageField = { name: 'buttons', label: 'Buttons', kind: 'long', hint: 'One a line: label | link' };
const images: MessageField = { name: 'images', label: 'Pictures', kind: 'long', hint: 'One address a line' };
const onScreen: readonly MessageField[] = [
  title,
  { name: 'body', label: 'HTML', kind: 'long', isNeeded: true },
  { name: 'alignment', label: 'Place', kind: 'choice', choices: ['CENTER', 'TOP', 'BOTTOM'] },
  { name: 'duration', label: 'Shown for milliseconds', kind: 'number', hint: 'Empty: until it is closed' },
];

/** What a message of each channel has. */
export const MESSAGE_FIELDS: Readonly<Record<Channel, readonly MessageField[]>> = {
  EMAIL: [
    { name: 'title', label: 'Subject', hint: 'Empty: the application’s default subject' },
    { name: 'body', label: 'HTML or text', kind: 'long', isNeeded: true },
  ],
  SMS: [{ name: 'body', label: 'Text', kind: 'long', isNeeded: true }],
  WEB_PUSH: [title, { name: 'body', label: 'Text', kind: 'long', isNeeded: true }, url, icon, images, buttons],
  APP_PUSH: [title, { name: 'body', label: 'Text', kind: 'long', isNeeded: true }, url, icon, images, buttons, { name: 'ttl', label: 'Worth delivering for seconds', kind: 'number' }, { name: 'customContent', label: 'Custom content', kind: 'json', hint: 'A JSON object for the app' }],
  WEB_HOOK: [title, { name: 'body', label: 'Body', kind: 'long', isNeeded: true }, { name: 'url', label: 'Address', hint: 'Empty: that of the channel' }, { name: 'method', label: 'Method', kind: 'choice', choices: ['POST', 'PUT', 'PATCH'] }, { name: 'customContent', label: 'Custom content', kind: 'json', hint: 'A JSON object' }],
  IN_APP: onScreen,
  ON_SITE: onScreen,
};

/** customUserIds from a text: one a line, or between commas or semicolons; the same one twice is one. */
export function readRecipients(text: string): readonly string[] {
  const ids = text.split(/[\n\r,;]+/).map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== ''))];
}

function readValue({ name, kind }: MessageField, text: string): unknown {
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === 'json') return readJson(text);
  const lines = (): readonly string[] => text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  if (name === 'images') return lines().map((address) => ({ url: address }));
  if (name === 'buttons') {
    return lines().map((line) => {
      const [label = '', ...link] = line.split('|');
      return { label: label.trim(), link: link.join('|').trim() };
    });
  }
  return text;
}

/** The service says what is wrong with what is no JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The message as it will be sent: only what was filled in. */
export function messageOf({ channel, fields }: Draft): { readonly body: string } & Readonly<Record<string, unknown>> {
  const known = MESSAGE_FIELDS[channel].flatMap((field) => {
    const text = fields[field.name] ?? '';
    return text.trim() === '' ? [] : [[field.name, readValue(field, text)] as const];
  });
  return { body: '', ...Object.fromEntries(known) };
}

export function requestOf(draft: Draft, dryRun: boolean): Readonly<Record<string, unknown>> {
  return { recipients: readRecipients(draft.recipients), channel: draft.channel, message: messageOf(draft), purpose: draft.purpose, ...(dryRun && { dryRun: true }) };
}
