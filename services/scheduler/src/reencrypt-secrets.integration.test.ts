import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import {
  readChannelSettings,
  writeChannelAccounts,
  writeChannelSettings,
} from '@tidings/accounts/channel-settings';
import { readUserTokenSecrets, rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import { createSecretBox } from '@tidings/platform';
import { reencryptSecrets } from '@tidings/postgres/reencrypt-secrets';
import { createOwnDatabase, createTestApplication } from '@tidings/testing';
import { decryptWebhookSecrets, encryptWebhookSecrets } from '@tidings/webhook-queue/secrets';
import { ENCRYPTED_TABLES } from './encrypted-tables.ts';

// A separate database: the job reads secrets of all applications.
jest.setTimeout(60_000);
const db = await createOwnDatabase();
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql.query(`truncate ${ENCRYPTED_TABLES.map(({ table }) => table).join(', ')}`);
});

const [BEFORE, NOW] = [
  'the key of yesterday, of thirty-two characters',
  'the key of today, of thirty-two characters',
] as const;
const [before, now, both] = [
  createSecretBox(BEFORE),
  createSecretBox(NOW),
  createSecretBox([NOW, BEFORE]),
] as const;
const NOTHING = { reencrypted: 0, left: 0, unreadable: 0 };

/** An application with a secret in each of the tables. */
async function createSecrets(box: typeof before) {
  const { applicationId } = await createTestApplication(db);
  await writeChannelSettings(db, box, {
    applicationId,
    channel: 'EMAIL',
    settings: { host: 'smtp.example' },
    secrets: { password: 'hush' },
  });
  const account = (name: string, secrets: Record<string, string>) =>
    ({
      name,
      status: 'untested',
      testedAt: null,
      settings: {},
      secrets,
      share: null,
      countries: null,
    }) as const;
  await writeChannelAccounts(db, box, {
    applicationId,
    channel: 'SMS',
    accounts: [account('first', {}), account('second', { authToken: 'hushed' })],
  });
  const token = await rotateUserTokenSecret(db, box, applicationId);
  const { rows } = await db.sql.query<{ id: string }>(
    `insert into webhook_endpoints (id, application_id, url, sealed_secrets) values (uuidv7(), $1, 'https://hooks.example', '') returning id`,
    [applicationId],
  );
  const endpointId = String(rows[0]?.id);
  await db.sql.query('update webhook_endpoints set sealed_secrets = $2 where id = $1', [
    endpointId,
    encryptWebhookSecrets(box, { applicationId, endpointId }, ['whsec_1', 'whsec_2']),
  ]);
  return { applicationId, endpointId, token: token?.secret };
}

async function readSecrets(
  box: typeof before,
  { applicationId, endpointId }: Awaited<ReturnType<typeof createSecrets>>,
) {
  const { rows } = await db.sql.query<{ sealed: string }>(
    'select sealed_secrets as sealed from webhook_endpoints where id = $1',
    [endpointId],
  );
  const email = await readChannelSettings(db, box, { applicationId, channel: 'EMAIL' });
  const sms = await readChannelSettings(db, box, { applicationId, channel: 'SMS' });
  return {
    email: email?.secrets,
    sms: sms?.others[0]?.secrets,
    version: email?.version,
    tokens: await readUserTokenSecrets(db, box, applicationId),
    webhook: decryptWebhookSecrets(box, { applicationId, endpointId }, String(rows[0]?.sealed)),
  };
}

test('after one pass the current key alone decrypts every secret, and no other setting has changed', async () => {
  const secrets = await Promise.all(Array.from({ length: 5 }, () => createSecrets(before)));

  expect(await reencryptSecrets(db, both, { tables: ENCRYPTED_TABLES, rowsPerStep: 2 })).toEqual({
    ...NOTHING,
    reencrypted: 20,
  });

  for (const own of secrets)
    expect(await readSecrets(now, own)).toEqual({
      email: { password: 'hush' },
      sms: { authToken: 'hushed' },
      version: 1,
      tokens: [own.token],
      webhook: ['whsec_1', 'whsec_2'],
    });
  expect(await reencryptSecrets(db, both, { tables: ENCRYPTED_TABLES })).toEqual(NOTHING);
});

test('secrets of the current key are unchanged', async () => {
  await createSecrets(now);
  const sealed = async () =>
    (
      await db.sql.query(
        'select sealed_secrets from channel_settings union all select sealed_secrets from webhook_endpoints',
      )
    ).rows;
  const was = await sealed();

  expect(await reencryptSecrets(db, both, { tables: ENCRYPTED_TABLES })).toEqual(NOTHING);
  expect(await sealed()).toEqual(was);
});

test('a secret that no configured key decrypts is counted, and kept', async () => {
  const lost = await createSecrets(createSecretBox('a key that is lost or was never used'));
  const own = await createSecrets(before);

  expect(await reencryptSecrets(db, both, { tables: ENCRYPTED_TABLES })).toEqual({
    reencrypted: 4,
    left: 0,
    unreadable: 4,
  });
  expect((await readSecrets(both, lost)).webhook).toBeNull();
  expect((await readSecrets(now, own)).webhook).toEqual(['whsec_1', 'whsec_2']);
});

test('a concurrent change wins, and is left for the next pass', async () => {
  const { applicationId } = await createSecrets(before);
  await db.sql.query('delete from webhook_endpoints');
  await db.sql.query('delete from user_token_secrets');
  await db.sql.query('delete from channel_accounts');
  const write = (password: string) =>
    writeChannelSettings(db, before, {
      applicationId,
      channel: 'EMAIL',
      settings: {},
      secrets: { password },
    });
  /** Writes between the read of a row and its update. */
  const racing = {
    ...db,
    sql: {
      query: async (text: string, values: unknown[]) =>
        text.startsWith('update')
          ? (await write('newer'), db.sql.query(text, values))
          : db.sql.query(text, values),
    },
  } as typeof db;

  expect(await reencryptSecrets(racing, both, { tables: ENCRYPTED_TABLES })).toEqual({
    ...NOTHING,
    left: 1,
  });
  expect(await reencryptSecrets(db, both, { tables: ENCRYPTED_TABLES })).toEqual({
    ...NOTHING,
    reencrypted: 1,
  });
  expect(
    (await readChannelSettings(db, now, { applicationId, channel: 'EMAIL' }))?.secrets,
  ).toEqual({ password: 'newer' });
});

test('the list has every table with encrypted secrets', async () => {
  const { rows } = await db.sql.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' and column_name like '%sealed%'`,
  );

  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    ENCRYPTED_TABLES.map(({ table }) => `${table}.sealed_secrets`).toSorted(),
  );
});
