import { fileURLToPath } from 'node:url';

/** Plain SQL: the baseline, then a file for each step, numbered without a gap. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
/** The rights of the role of the services that face the internet. */
export const PUBLIC_ROLE_FILE = fileURLToPath(new URL('../public-role.sql', import.meta.url));
