import type { ProviderName } from '@tidings/contracts/channels/descriptors';
import type { ConfigSpec } from '@tidings/platform';
import type { SmsProvider, SmsProviderTools } from './sms-provider.ts';
import { twilio } from './twilio/provider.ts';
import { vonage } from './vonage/provider.ts';

/** The providers of SMS, by the names in `contracts`. */
export const SMS_PROVIDERS = {
  twilio,
  vonage,
} as const satisfies Readonly<Record<ProviderName<'SMS'>, { readonly config: ConfigSpec }>>;

type Definition = (typeof SMS_PROVIDERS)[ProviderName<'SMS'>];
type EveryOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  every: infer Every,
) => void
  ? Every
  : never;

/** The configuration of all of them: each reads its own part. */
export const smsProvidersConfig = Object.assign(
  {},
  ...Object.values(SMS_PROVIDERS).map(({ config }) => config),
) as EveryOf<Definition['config']>;

/** Providers by name, each created from a configuration that has its part. */
export type SmsProviderRegistry<Config> = Readonly<
  Record<string, { readonly create: (config: Config, tools: SmsProviderTools) => SmsProvider }>
>;
