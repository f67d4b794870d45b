import { afterAll, describe, expect, test } from '@jest/globals';
import { createSecretBox } from '@tidings/platform';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { randomBytes } from 'node:crypto';
import {
  listChannelStatuses,
  markChannelReady,
  readChannelSettings,
  writeChannelSettings,
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
