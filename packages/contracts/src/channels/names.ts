/** The seven channels a campaign can use (see README.md, "POST /push"). */
export const CHANNELS = [
  'SMS',
  'WEB_PUSH',
  'APP_PUSH',
  'EMAIL',
  'WEB_HOOK',
  'IN_APP',
  'ON_SITE',
] as const;
export type Channel = (typeof CHANNELS)[number];
