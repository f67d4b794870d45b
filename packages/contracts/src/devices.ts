/** What a device is reached by: a browser's subscription, a token of Firebase, or nothing. */
export const DEVICE_KINDS = ['web_push', 'fcm', 'none'] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];
