import { afterAll, expect, jest, test } from '@jest/globals';
import { readChannelSettings, writeChannelSettings } from '@tidings/accounts/channel-settings';
import { createSecretBox, metricsRegistry } from '@tidings/platform';
import { createOwnDatabase, createRecordingLogger, createTestApplication } from '@tidings/testing';
import { runOnce } from '../testing/run-once.ts';
import { secretReencryption } from './secret-reencryption.ts';

// A separate database: the job reads secrets of all applications.
jest.setTimeout(60_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

const [BEFORE, NOW] = [
  'the key of yesterday, of thirty-two characters',
  'the key of today, of thirty-two characters',
] as const;

test('the log and a metric report when no secret needs the previous key any more', async () => {
  const { applicationId } = await createTestApplication(db);
  await writeChannelSettings(db, createSecretBox(BEFORE), {
    applicationId,
    channel: 'EMAIL',
    settings: {},
    secrets: { password: 'hush' },
  });
  await writeChannelSettings(db, createSecretBox('a key that is lost or was never used'), {
    applicationId,
    channel: 'SMS',
    settings: {},
    secrets: { authToken: 'lost' },
  });
  const { logger, lines } = createRecordingLogger();

  const job = secretReencryption({
    encryptionKey: NOW,
    previousEncryptionKey: BEFORE,
    reencryptSecretsIntervalMs: 100,
  });
  await runOnce(job, { db, logger });

  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'no secret needs ENCRYPTION_KEY_PREVIOUS any more',
      reencrypted: 1,
      left: 0,
      unreadable: 1,
    }),
  );
  expect(
    (await readChannelSettings(db, createSecretBox(NOW), { applicationId, channel: 'EMAIL' }))
      ?.secrets,
  ).toEqual({ password: 'hush' });
  const text = await metricsRegistry.getSingleMetricAsString('tidings_secrets_to_reencrypt');
  expect([text.includes('{state="left"} 0'), text.includes('{state="unreadable"} 1')]).toEqual([
    true,
    true,
  ]);
  expect(lines.map((line) => JSON.stringify(line)).join()).not.toMatch(/hush|lost"/);
});
