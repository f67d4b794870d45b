import { join } from 'node:path';

/** The folder of the checkout; everything the project starts finds its parts from here. */
export const ROOT_DIR = join(import.meta.dirname, '..', '..', '..');

/** What `npm start` keeps: git-ignored, deleted by `--reset` but for the downloads. */
export const HOME_DIR = join(ROOT_DIR, '.tidings');

/** Test runs have a folder each in here, thrown away at their end. */
export const TEST_HOMES_DIR = join(HOME_DIR, 'test');

/** Where the parts of one installation keep what is theirs; `home` differs between `npm start` and each test run. */
export function homeLayout(home: string) {
  return {
    /** Who uses the home now. */
    ownerDir: join(home, 'owner'),
    /** The processes that were started for it. */
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
