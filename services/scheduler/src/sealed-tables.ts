import { SEALED_ACCOUNT_SECRETS } from '@tidings/accounts/sealed-tables';
import { SEALED_WEBHOOK_SECRETS } from '@tidings/webhook-queue/secrets';

/** Every table that holds sealed secrets. */
export const SEALED_TABLES = [...SEALED_ACCOUNT_SECRETS, SEALED_WEBHOOK_SECRETS];
