import type { ProviderError } from '../provider-error.ts';
import { EMAIL_ERRORS } from './email.ts';
import { WEB_HOOK_ERRORS } from './hooks.ts';
import { APP_PUSH_ERRORS, WEB_PUSH_ERRORS } from './pushes.ts';
import { VONAGE_ERRORS } from './sms-vonage.ts';
import { SMS_ERRORS } from './sms.ts';

/** All provider errors, by channel. */
export const PROVIDER_ERRORS: readonly ProviderError[] = [
  ...SMS_ERRORS,
  ...VONAGE_ERRORS,
  ...EMAIL_ERRORS,
  ...WEB_PUSH_ERRORS,
  ...APP_PUSH_ERRORS,
  ...WEB_HOOK_ERRORS,
];
