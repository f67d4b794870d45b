import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const fcmConfig = {
  fcmTimeoutMs: integer(
    'FCM_TIMEOUT_MS',
    'FCM’s answer to a message, and Google’s to a request for a token, may take this long.',
    { default: 10_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
export type FcmConfig = ConfigOf<typeof fcmConfig>;
