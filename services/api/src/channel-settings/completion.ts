import type { ChannelSettings } from '@tidings/accounts/channel-settings';

type Input = Readonly<Record<string, unknown>>;

/**
 * Computes the settings to store from the request and the stored settings. @throws AppError
 * validation_failed
 */
export type Completion = (input: Input, before: ChannelSettings | null) => Input;
