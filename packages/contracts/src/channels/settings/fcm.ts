import type { ChannelProvider } from '../provider.ts';
import { webAddress } from './schemas.ts';
import { ratePerSecond } from './setting.ts';

/** FCM: the service account of a project. */
export const fcmSettings = {
  label: 'Firebase Cloud Messaging',
  fields: {
    serviceAccount: {
      schema: { type: ['string', 'object'], description: 'the JSON file of a service account' },
      isRequired: true,
      label: 'Service account',
      hint: 'The JSON file from your Firebase project settings',
      isSecret: true,
      isLong: true,
    },
    ratePerSecond,
    apiBaseUrl: {
      schema: webAddress(300),
      label: 'API URL',
      hint: 'Leave empty to use Google’s API',
    },
  },
  example: {
    serviceAccount:
      '{"type":"service_account","project_id":"shop","client_email":"…","private_key":"…"}',
  },
} as const satisfies ChannelProvider;
