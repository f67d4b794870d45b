import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const fcmConfig = {
  fcmTimeoutMs: integer(
    'FCM_TIMEOUT_MS',
    'Timeout of requests to FCM and of Google’s token requests.',
    { default: 10_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
export type FcmConfig = ConfigOf<typeof fcmConfig>;
