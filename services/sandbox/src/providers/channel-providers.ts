import { CHANNELS, type Channel } from '@tidings/contracts';

/** Which stand-in provider receives a channel; null until the sandbox has one for it. */
export const CHANNEL_PROVIDERS = {
  SMS: 'twilio',
  WEB_PUSH: 'web-push',
  APP_PUSH: 'fcm',
  EMAIL: 'smtp',
  WEB_HOOK: 'hooks',
  IN_APP: null,
  ON_SITE: null,
} as const satisfies Record<Channel, 'smtp' | 'twilio' | 'hooks' | 'web-push' | 'fcm' | null>;

/** The channels that can be received here, hence also disturbed by a fault. */
export const SERVED_CHANNELS: readonly Channel[] = CHANNELS.filter((channel) => CHANNEL_PROVIDERS[channel] !== null);
