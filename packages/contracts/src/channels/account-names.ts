/** The account of settings that name none. */
export const FIRST_ACCOUNT = 'main';
export const ACCOUNTS_MAX = 5;
export const ACCOUNT_NAME_PATTERN = '^[a-z][a-z0-9-]{0,19}$';
