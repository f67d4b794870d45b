import { fileURLToPath } from 'node:url';

/** SQL files: the baseline, then one file per step, numbered without a gap. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
/** The rights of the role of the services that face the internet. */
export const PUBLIC_ROLE_FILE = fileURLToPath(new URL('../public-role.sql', import.meta.url));
