import type { SmsCallbackProvider } from './callback-provider.ts';
import { twilioCallbacks } from './twilio/callback.ts';

/** The providers of SMS whose callbacks are answered. */
export const SMS_CALLBACK_PROVIDERS: readonly SmsCallbackProvider[] = [twilioCallbacks];
