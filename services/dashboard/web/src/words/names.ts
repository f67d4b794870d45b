import type { Channel } from '@tidings/contracts';

export const CHANNEL_NAMES: Readonly<Record<Channel, string>> = {
  SMS: 'SMS',
  WEB_PUSH: 'Web push',
  APP_PUSH: 'App push',
  EMAIL: 'E-mail',
  WEB_HOOK: 'Webhook',
  IN_APP: 'In-app',
  ON_SITE: 'On-site',
};

export const channelName = (channel: string): string =>
  (CHANNEL_NAMES as Readonly<Record<string, string>>)[channel] ?? channel;
