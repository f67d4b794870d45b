import { ENCRYPTED_ACCOUNT_TABLES } from '@tidings/accounts/encrypted-tables';
import { ENCRYPTED_WEBHOOK_TABLE } from '@tidings/webhook-queue/secrets';

/** Every table that holds encrypted secrets. */
export const ENCRYPTED_TABLES = [...ENCRYPTED_ACCOUNT_TABLES, ENCRYPTED_WEBHOOK_TABLE];
