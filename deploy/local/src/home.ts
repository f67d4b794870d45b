import { join } from 'node:path';

/** The root folder of the checkout; all other paths are relative to it. */
export const ROOT_DIR = join(import.meta.dirname, '..', '..', '..');

/** Data of `npm start`: git-ignored; `--reset` deletes it except the downloads. */
export const HOME_DIR = join(ROOT_DIR, '.tidings');

/** Each test run has a folder here, deleted at its end. */
export const TEST_HOMES_DIR = join(HOME_DIR, 'test');

/** File layout of one installation; `home` differs between `npm start` and each test run. */
export function homeLayout(home: string) {
  return {
    /** Record of the process that owns the home. */
    ownerDir: join(home, 'owner'),
    /** Records of the processes started for it. */
    runDir: join(home, 'run'),
    logDir: join(home, 'logs'),
    dataDir: (name: string) => join(home, 'data', name),
    logFile: (name: string) => join(home, 'logs', `${name}.log`),
    localFile: join(home, 'local.json'),
    credentialsFile: join(home, 'credentials.json'),
    encryptionKeyFile: join(home, 'encryption.key'),
    userTokenSecretFile: join(home, 'user-token-secret.json'),
    certificateFile: join(home, 'certificate.json'),
  } as const;
}
