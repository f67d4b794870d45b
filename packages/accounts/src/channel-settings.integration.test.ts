import { afterAll, describe, expect, test } from '@jest/globals';
import { createSecretBox } from '@tidings/platform';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { randomBytes } from 'node:crypto';
import {
  listChannelStatuses,
  listSendingChannels,
  listSmsSettingsWith,
  markChannelReady,
  readChannelSettings,
  writeChannelAccounts,
  writeChannelSettings,
  type AccountToWrite,
} from './channel-settings.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const box = createSecretBox(randomBytes(32).toString('base64'));
const settings = { host: 'smtp.example.com', port: 587 };
const secrets = { password: 'correct horse' };

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  return {
    applicationId,
    write: (
      change: {
        readonly settings?: Record<string, unknown>;
        readonly secrets?: Record<string, string>;
      } = {},
    ) =>
      writeChannelSettings(db, box, {
        applicationId,
        channel: 'EMAIL',
        settings,
        secrets,
        ...change,
      }),
    read: (opener = box) => readChannelSettings(db, opener, { applicationId, channel: 'EMAIL' }),
  };
}

describe('the settings of a channel', () => {
  test('are null before they are written', async () => {
    const { applicationId, read } = await newTenant();

    expect(await read()).toBeNull();
    expect(await listChannelStatuses(db, applicationId)).toEqual(new Map());
  });

  test('are returned with their secrets, as untested', async () => {
    const { applicationId, write, read } = await newTenant();

    await write();

    expect(await read()).toEqual({
      applicationId,
      channel: 'EMAIL',
      name: 'main',
      share: null,
      countries: null,
      others: [],
      status: 'untested',
      version: 1,
      settings,
      secrets,
      testedAt: null,
    });
  });

  test('store their secrets encrypted, for this application and channel only', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    await tenant.write();
    await other.write();

    const { rows } = await db.sql.query<{ row: string }>(
      'select channel_settings::text as row from channel_settings where application_id = $1',
      [tenant.applicationId],
    );
    await db.sql.query(
      `update channel_settings c set sealed_secrets = o.sealed_secrets from channel_settings o
       where c.application_id = $1 and o.application_id = $2`,
      [other.applicationId, tenant.applicationId],
    );

    expect(rows[0]?.row).not.toContain(secrets.password);
    expect(await other.read()).toMatchObject({ settings, secrets: null });
  });

  test('may have no secrets', async () => {
    const { write, read } = await newTenant();

    await write({ secrets: {} });

    expect(await read()).toMatchObject({ secrets: {} });
  });

  test('cannot be decrypted with another key, and are kept', async () => {
    const { write, read } = await newTenant();
    await write();

    expect(await read(createSecretBox(randomBytes(32).toString('base64')))).toMatchObject({
      settings,
      secrets: null,
    });
    expect(await read()).toMatchObject({ secrets });
  });

  test('are ready after a test send with the same version, and untested after the next change', async () => {
    const { applicationId, write, read } = await newTenant();
    await write();
    await write({ settings: { ...settings, port: 25 } });

    await markChannelReady(db, { applicationId, channel: 'EMAIL', version: 1 });
    expect(await read()).toMatchObject({ status: 'untested', version: 2 });
    await markChannelReady(db, { applicationId, channel: 'EMAIL', version: 2 });
    expect(await read()).toMatchObject({
      status: 'ready',
      version: 2,
      testedAt: expect.any(Number),
    });
    expect(await listChannelStatuses(db, applicationId)).toEqual(new Map([['EMAIL', 'ready']]));
    await write();

    expect(await read()).toMatchObject({
      status: 'untested',
      version: 3,
      settings,
      testedAt: null,
    });
  });
});

describe('further accounts', () => {
  const account = (name: string, change: Partial<AccountToWrite> = {}): AccountToWrite => ({
    name,
    status: 'untested',
    testedAt: null,
    settings: { host: name },
    secrets: { password: `of ${name}` },
    share: null,
    countries: null,
    ...change,
  });

  async function withAccounts(...accounts: [AccountToWrite, ...AccountToWrite[]]) {
    const tenant = await newTenant();
    const write = (...all: [AccountToWrite, ...AccountToWrite[]]) =>
      writeChannelAccounts(db, box, {
        applicationId: tenant.applicationId,
        channel: 'EMAIL',
        accounts: all,
      });
    await write(...accounts);
    return { ...tenant, writeAccounts: write };
  }

  test('are returned in their order, with what the channel has for all of them', async () => {
    const { read } = await withAccounts(
      account('first', {
        settings: { host: 'first', fromAddress: 'shop@example.com' },
        secrets: { password: 'of first', bounceSecret: 'of the channel' },
        share: 70,
      }),
      account('third'),
      account('second', { countries: ['DE', 'AT'], status: 'ready', testedAt: 1_795_000_000_000 }),
    );

    expect(await read()).toMatchObject({ name: 'first', share: 70, countries: null, version: 1 });
    expect((await read())?.others).toEqual([
      {
        ...account('third'),
        settings: { host: 'third', fromAddress: 'shop@example.com' },
        secrets: { password: 'of third', bounceSecret: 'of the channel' },
      },
      {
        ...account('second', { countries: ['DE', 'AT'], status: 'ready' }),
        testedAt: 1_795_000_000_000,
        settings: { host: 'second', fromAddress: 'shop@example.com' },
        secrets: { password: 'of second', bounceSecret: 'of the channel' },
      },
    ]);
  });

  test('are replaced with the first one, in one version', async () => {
    const { read, write, writeAccounts } = await withAccounts(account('a'), account('b'));

    await writeAccounts(account('b'), account('c'));
    expect(await read()).toMatchObject({ name: 'b', version: 2, others: [{ name: 'c' }] });

    await write();
    expect(await read()).toMatchObject({ name: 'main', version: 3, others: [] });
  });

  test('become ready one by one; the channel is with the first that is', async () => {
    const { applicationId, read } = await withAccounts(account('a'), account('b'));
    const ready = (name?: string, version = 1) =>
      markChannelReady(db, {
        applicationId,
        channel: 'EMAIL',
        version,
        ...(name !== undefined && { account: name }),
      });

    await ready('b', 2);
    await ready('unknown');
    expect(await listChannelStatuses(db, applicationId)).toEqual(new Map([['EMAIL', 'untested']]));

    await ready('b');
    expect(await read()).toMatchObject({
      status: 'untested',
      others: [{ status: 'ready', testedAt: expect.any(Number) }],
    });
    expect(await listChannelStatuses(db, applicationId)).toEqual(new Map([['EMAIL', 'ready']]));
    expect(await listSendingChannels(db, applicationId)).toEqual(new Set(['EMAIL']));

    await ready();
    expect((await read())?.status).toBe('ready');
  });

  test('have secrets of their own: those of another account or row cannot be opened in their place', async () => {
    const { applicationId, read } = await withAccounts(account('a'), account('b'), account('c'));

    await db.sql.query(
      `update channel_accounts x set sealed_secrets = y.sealed_secrets from channel_accounts y
       where x.application_id = $1 and y.application_id = $1 and x.name = 'c' and y.name = 'b'`,
      [applicationId],
    );

    expect((await read())?.others).toMatchObject([
      { secrets: { password: 'of b' } },
      { secrets: null },
    ]);
  });

  test('of SMS are found by the values that name them', async () => {
    const { applicationId } = await createTestApplication(db);
    const sid = `AC${randomBytes(16).toString('hex')}`;
    await writeChannelAccounts(db, box, {
      applicationId,
      channel: 'SMS',
      accounts: [account('a'), account('b', { settings: { accountSid: sid } })],
    });

    const found = await listSmsSettingsWith(db, box, { accountSid: sid });

    expect(found.map((one) => one.applicationId)).toEqual([applicationId]);
  });
});
