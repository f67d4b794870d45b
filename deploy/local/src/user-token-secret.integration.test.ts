import { afterAll, expect, test } from '@jest/globals';
import { createApplication } from '@tidings/accounts/applications';
import { readUserTokenSecrets, rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import { createSecretBox, readEnvironment } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureUserTokenSecret } from './user-token-secret.ts';

const ENCRYPTION_KEY = 'a key for tests, of thirty-two characters';
const box = createSecretBox(ENCRYPTION_KEY);
const databaseUrl = readEnvironment()['DATABASE_URL'] ?? '';
const db = connectDatabase({ databaseUrl, poolMax: 4, applicationName: 'test' });
const folder = mkdtempSync(join(tmpdir(), 'tidings-'));
/** Answers the one API call that is made, as the API does. */
const api = createServer((req, res) => {
  const [, applicationId = ''] =
    /applications\/([^/]+)\/user-token-secret$/.exec(req.url ?? '') ?? [];
  void rotateUserTokenSecret(db, box, applicationId).then((made) => res.end(JSON.stringify(made)));
});
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await new Promise((resolve) => api.close(resolve));
  await db.close();
});

async function installation() {
  const { applicationId } = await createApplication(db, 'signs tokens');
  const secretFile = join(folder, `${applicationId}.json`);
  const options = {
    baseUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    databaseUrl,
    encryptionKey: ENCRYPTION_KEY,
    secretFile,
  };
  return {
    applicationId,
    secretFile,
    start: (ofApplication = applicationId) =>
      ensureUserTokenSecret({
        ...options,
        credentials: { applicationId: ofApplication, adminToken: 'at_1' },
      }),
  };
}

test('the user token secret survives restarts, and only its owner can read the file', async () => {
  const { applicationId, secretFile, start } = await installation();

  const secrets = [await start(), await start(), await start()];

  expect(new Set(secrets).size).toBe(1);
  expect(await readUserTokenSecrets(db, box, applicationId)).toEqual([secrets[0]]);
  expect(statSync(secretFile).mode & 0o777).toBe(0o600);
});

test('a changed secret is used from the next start; another application has its own', async () => {
  const { applicationId, secretFile, start } = await installation();
  const other = await createApplication(db, 'signs tokens');
  const first = await start();

  await rotateUserTokenSecret(db, box, applicationId);
  const [changed] = await readUserTokenSecrets(db, box, applicationId);
  const second = await start();
  const file = JSON.parse(readFileSync(secretFile, 'utf8')) as unknown;
  const third = await start(other.applicationId);

  expect(new Set([first, second, third]).size).toBe(3);
  expect(second).toBe(changed);
  expect(file).toEqual({ applicationId, secret: changed });
  expect(await readUserTokenSecrets(db, box, applicationId)).toEqual([second, first]);
  expect(await readUserTokenSecrets(db, box, other.applicationId)).toEqual([third]);
});
