import { webAddress } from './schemas.ts';
import { ratePerSecond, type ChannelSettingsForm } from './setting.ts';

/** FCM: the service account of a project. */
export const fcmSettings = {
  fields: {
    serviceAccount: {
      schema: { type: ['string', 'object'], description: 'the JSON file of a service account' },
      isRequired: true,
      label: 'Service account',
      hint: 'The JSON file from Firebase’s project settings',
      isSecret: true,
      isLong: true,
    },
    ratePerSecond,
    apiBaseUrl: {
      schema: webAddress(300),
      label: 'Address of the API',
      hint: 'Only where it is not Google’s own',
    },
  },
  example: {
    serviceAccount:
      '{"type":"service_account","project_id":"shop","client_email":"…","private_key":"…"}',
  },
} as const satisfies ChannelSettingsForm;
