import type { ChannelSettings } from '@tidings/accounts/channel-settings';
import type { Channel } from '@tidings/contracts';
import { checkDkim } from './dkim-faults.ts';
import { completeServiceAccount } from './service-account.ts';
import { completeVapidKeys } from './vapid-keys.ts';

type Input = Readonly<Record<string, unknown>>;

/** Settings as they are kept, from what was written and what was there. @throws AppError validation_failed */
export type Completion = (input: Input, before: ChannelSettings | null) => Input;

/** What the schema of a channel's settings cannot say, and what only the service writes. */
export const COMPLETIONS: Readonly<Partial<Record<Channel, Completion>>> = {
  EMAIL: checkDkim,
  WEB_PUSH: completeVapidKeys,
  APP_PUSH: completeServiceAccount,
};
