/** What a device is reached by: a browser's subscription, a token of Firebase, or nothing. */
export const DEVICE_KINDS = ['web_push', 'fcm', 'none'] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

/** Whether who calls himself a customUserId must prove it by a token that the caller's back end has signed. */
export const USER_TOKEN_RULES = ['required', 'optional'] as const;
export type UserTokenRule = (typeof USER_TOKEN_RULES)[number];

/** The answer to `GET /sdk/v1/config`. Times in milliseconds since the epoch. */
export type ClientConfig = {
  readonly applicationId: string;
  readonly serverTime: number;
  readonly userTokens: UserTokenRule;
  /** By which browsers subscribe to web push; null while the channel has no key. */
  readonly vapidPublicKey: string | null;
  readonly limits: { readonly bodyBytesMax: number };
};
