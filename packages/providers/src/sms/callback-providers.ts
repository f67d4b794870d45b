import type { ProviderName } from '@tidings/contracts/channels/descriptors';
import type { SmsCallbackProvider } from './callback-provider.ts';
import { twilioCallbacks } from './twilio/callback.ts';
import { vonageCallbacks } from './vonage/callback.ts';

/** Callback providers by name. */
export type SmsCallbackRegistry = Readonly<Record<string, SmsCallbackProvider>>;

/** The SMS providers whose callbacks client-api serves. */
export const SMS_CALLBACK_PROVIDERS: SmsCallbackRegistry = {
  twilio: twilioCallbacks,
  vonage: vonageCallbacks,
} satisfies Partial<Record<ProviderName<'SMS'>, SmsCallbackProvider>>;
