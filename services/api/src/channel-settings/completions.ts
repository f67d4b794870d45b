import type { Channel } from '@tidings/contracts/channels/channels';
import type { Completion } from './completion.ts';
import { checkDkim } from './dkim-faults.ts';
import { completeServiceAccount } from './service-account.ts';
import { completeVapidKeys } from './vapid-keys.ts';

/** Checks beyond the settings schema, and values that the service generates. */
export const COMPLETIONS: Readonly<Partial<Record<Channel, Completion>>> = {
  EMAIL: checkDkim,
  WEB_PUSH: completeVapidKeys,
  APP_PUSH: completeServiceAccount,
};
