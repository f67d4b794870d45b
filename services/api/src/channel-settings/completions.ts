import type { ChannelSettings } from '@tidings/accounts/channel-settings';
import type { Channel } from '@tidings/contracts';
import { checkDkim } from './dkim-faults.ts';
import { completeServiceAccount } from './service-account.ts';
import { completeVapidKeys } from './vapid-keys.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Computes the settings to store from the request and the stored settings. @throws AppError
 * validation_failed
 */
export type Completion = (input: Input, before: ChannelSettings | null) => Input;

/** Checks beyond the settings schema, and values that the service generates. */
export const COMPLETIONS: Readonly<Partial<Record<Channel, Completion>>> = {
  EMAIL: checkDkim,
  WEB_PUSH: completeVapidKeys,
  APP_PUSH: completeServiceAccount,
};
