import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { readChannelSettings, writeChannelSettings } from '@tidings/accounts/channel-settings';
import { rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import { createSecretBox, readEnvironment } from '@tidings/platform';
import { createOwnDatabase, createRecordingLogger, createTestApplication } from '@tidings/testing';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeEncryptionKey, PUBLIC_KEY } from './make-encryption-key.ts';

// A separate database: all secrets of it are looked at.
jest.setTimeout(60_000);
const db = await createOwnDatabase();
const folder = mkdtempSync(join(tmpdir(), 'tidings-key-'));
const file = join(folder, 'encryption.key');
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await db.close();
});
beforeEach(async () => {
  rmSync(file, { force: true });
  await db.sql.query('truncate channel_settings, user_token_secrets, webhook_endpoints cascade');
});

async function make(encryptionKey = '', newEncryptionKeyFile = file): Promise<string[]> {
  const { logger, lines } = createRecordingLogger();
  await makeEncryptionKey(db, { encryptionKey, newEncryptionKeyFile }, logger);
  return lines.map(({ level, msg }) => `${String(level)} ${String(msg)}`);
}

/** As services read it. */
const keyOfServices = () =>
  readEnvironment({ ENCRYPTION_KEY: '', ENCRYPTION_KEY_FILE: file })['ENCRYPTION_KEY'] ?? '';

async function sealWith(key: string): Promise<string> {
  const { applicationId } = await createTestApplication(db);
  await writeChannelSettings(db, createSecretBox(key), {
    applicationId,
    channel: 'EMAIL',
    settings: { host: 'smtp.example' },
    secrets: { password: 'hush' },
  });
  return applicationId;
}

test('a new installation gets a key of its own, which only its account can read', async () => {
  const lines = await make();
  const key = keyOfServices();

  expect(lines).toEqual(['info encryption key made: back it up, no secret can be read without it']);
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['encryption.key']);
  expect(await make(key)).toEqual([]);
  expect(keyOfServices()).toBe(key);

  rmSync(file);
  await make();
  expect(keyOfServices()).not.toBe(key);
});

test('secrets of the default that everyone knows stay readable, and it says what to do', async () => {
  const applicationId = await sealWith(PUBLIC_KEY);
  await rotateUserTokenSecret(db, createSecretBox(PUBLIC_KEY), applicationId);

  const first = await make();
  const key = keyOfServices();
  const second = await make(key);

  expect(first).toEqual([expect.stringMatching(/^warn .*rotate it.*secrets\.md/)]);
  expect(second).toEqual(first);
  expect(key).toBe(PUBLIC_KEY);
  expect(
    await readChannelSettings(db, createSecretBox(key), { applicationId, channel: 'EMAIL' }),
  ).toMatchObject({ secrets: { password: 'hush' } });
});

test('secrets of an unknown key are not left behind by a new one', async () => {
  await sealWith('a key of one’s own, of thirty-two characters');

  await expect(make()).rejects.toThrow('set ENCRYPTION_KEY to it');
  expect(existsSync(file)).toBe(false);
});

test('a key of one’s own is used, and none is made', async () => {
  expect(await make('a key of one’s own, of thirty-two characters')).toEqual([]);
  expect(await make('', '')).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

test('a start that was interrupted is repeated', async () => {
  writeFileSync(`${file}.making`, 'half');

  await make();

  expect(Buffer.from(keyOfServices(), 'base64')).toHaveLength(32);
  expect(readdirSync(folder)).toEqual(['encryption.key']);
});
