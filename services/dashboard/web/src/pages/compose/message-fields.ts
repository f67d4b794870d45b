import type { Channel } from '@tidings/contracts';

/** `textOrObject`: text, save that what begins as a JSON object is one. */
export type MessageField = {
  readonly name: string;
  readonly label: string;
  readonly kind?: 'long' | 'number' | 'json' | 'textOrObject' | 'choice';
  readonly hint?: string;
  readonly choices?: readonly string[];
  readonly isNeeded?: boolean;
  /** What is missing where it is needed and empty; without it, a text. */
  readonly needed?: string;
  readonly isTall?: boolean;
};

const title: MessageField = { name: 'title', label: 'Title' };
const text: MessageField = { name: 'body', label: 'Text', kind: 'long', isNeeded: true };
const url: MessageField = { name: 'url', label: 'Link', hint: 'Where a click leads' };
const icon: MessageField = { name: 'icon', label: 'Icon’s address' };
const buttons: MessageField = {
  name: 'buttons',
  label: 'Buttons',
  kind: 'long',
  hint: 'One a line: label | link',
};
const images: MessageField = {
  name: 'images',
  label: 'Pictures',
  kind: 'long',
  hint: 'One address a line',
};
const notification = [title, text, url, icon, images, buttons];
const onScreen: readonly MessageField[] = [
  title,
  { name: 'body', label: 'HTML', kind: 'long', isNeeded: true, isTall: true },
  { name: 'alignment', label: 'Place', kind: 'choice', choices: ['CENTER', 'TOP', 'BOTTOM'] },
  {
    name: 'duration',
    label: 'Shown for milliseconds',
    kind: 'number',
    hint: 'Empty: until it is closed',
  },
];

/** What a message of each channel has. */
export const MESSAGE_FIELDS: Readonly<Record<Channel, readonly MessageField[]>> = {
  EMAIL: [
    { name: 'title', label: 'Subject', isNeeded: true, needed: 'a subject' },
    { name: 'body', label: 'HTML or text', kind: 'long', isNeeded: true, isTall: true },
  ],
  SMS: [text],
  WEB_PUSH: notification,
  APP_PUSH: [
    ...notification,
    {
      name: 'ttl',
      label: 'Worth delivering for seconds',
      kind: 'number',
      hint: 'Empty: 30 days; 0: now or never',
    },
    {
      name: 'customContent',
      label: 'Custom content',
      kind: 'json',
      hint: 'A JSON object for the app',
    },
  ],
  WEB_HOOK: [
    title,
    {
      name: 'body',
      label: 'Body',
      kind: 'textOrObject',
      isNeeded: true,
      hint: 'Text, or a JSON object',
    },
    { name: 'url', label: 'Address', hint: 'Empty: that of the channel' },
    { name: 'method', label: 'Method', kind: 'choice', choices: ['POST', 'PUT', 'PATCH'] },
    { name: 'headers', label: 'Headers', kind: 'json', hint: 'A JSON object of names and values' },
    { name: 'contentType', label: 'Content type', hint: 'Empty: application/json' },
    { name: 'customContent', label: 'Custom content', kind: 'json', hint: 'A JSON object' },
  ],
  IN_APP: onScreen,
  ON_SITE: onScreen,
};
