import type { SmsCallbackProvider } from './callback-provider.ts';
import { twilioCallbacks } from './twilio/callback.ts';

/** The SMS providers whose callbacks client-api serves. */
export const SMS_CALLBACK_PROVIDERS: readonly SmsCallbackProvider[] = [twilioCallbacks];
