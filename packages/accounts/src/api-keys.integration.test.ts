import { afterAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import {
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
  authenticateAdminToken,
} from './admin-tokens.ts';
import {
  changeKeyToClient,
  createApiKey,
  findKeyGrant,
  listApiKeys,
  recordKeyUses,
  revokeApiKey,
} from './api-keys.ts';

const db = connectTestDatabase({ poolMax: 25 });
afterAll(() => db.close());

async function newKey(applicationId: string, type: 'server' | 'client' = 'server') {
  const key = await createApiKey(db, { applicationId, type, name: 'a key' });
  if (key === 'too_many') throw new Error('no room');
  return key;
}

describe('an API key', () => {
  test.each([
    ['server', /^sk_[0-9A-Za-z]{40}$/],
    ['client', /^ck_[0-9A-Za-z]{40}$/],
  ] as const)(
    'of type %s opens its application, and its text is returned only once',
    async (type, form) => {
      const { applicationId } = await createTestApplication(db);

      const { key, ...shown } = await newKey(applicationId, type);

      expect(key).toMatch(form);
      expect(key.startsWith(shown.prefix)).toBe(true);
      expect(await findKeyGrant(db, applicationId, key)).toEqual({
        keyId: shown.id,
        keyName: 'a key',
        applicationId,
        type,
        allowedOrigins: [],
        allowList: [],
        settings: {},
      });
      expect(await listApiKeys(db, applicationId)).toEqual([shown]);
    },
  );

  test('is stored only as a hash', async () => {
    const { applicationId } = await createTestApplication(db);
    const { key, prefix } = await newKey(applicationId);

    const { rows } = await db.sql.query<{ row: string }>(
      'select api_keys::text as row from api_keys where application_id = $1',
      [applicationId],
    );

    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(key.slice(prefix.length));
  });

  test('opens no other application, and no other key opens this one', async () => {
    const [own, other] = [await createTestApplication(db), await createTestApplication(db)];
    const { key } = await newKey(own.applicationId);

    expect(await findKeyGrant(db, other.applicationId, key)).toBeNull();
    expect(await findKeyGrant(db, own.applicationId, `${key} `)).toBeNull();
    expect(await findKeyGrant(db, own.applicationId, key.toLowerCase())).toBeNull();
    expect(await findKeyGrant(db, own.applicationId, '')).toBeNull();
  });

  test('grants the application under its canonical id, however the caller spelled the id', async () => {
    const { applicationId } = await createTestApplication(db);
    const { key } = await newKey(applicationId);

    expect(await findKeyGrant(db, applicationId.toUpperCase(), key)).toMatchObject({
      applicationId,
    });
  });

  test('that is revoked opens nothing, is not listed, and stays revoked', async () => {
    const { applicationId } = await createTestApplication(db);
    const { id, key } = await newKey(applicationId);

    expect(await revokeApiKey(db, applicationId, id)).toBe(true);

    expect(await findKeyGrant(db, applicationId, key)).toBeNull();
    expect(await listApiKeys(db, applicationId)).toEqual([]);
    expect(await revokeApiKey(db, applicationId, id)).toBe(false);
    expect(await changeKeyToClient(db, applicationId, id)).toBeNull();
  });

  test('changes from Server to Client, and only once', async () => {
    const { applicationId } = await createTestApplication(db);
    const { id, key } = await newKey(applicationId);

    expect(await changeKeyToClient(db, applicationId, id)).toMatchObject({ id, type: 'client' });
    expect(await changeKeyToClient(db, applicationId, id)).toBe('conflict');
    expect(await findKeyGrant(db, applicationId, key)).toMatchObject({ type: 'client' });
  });

  test('cannot be revoked or changed from another application', async () => {
    const [own, other] = [await createTestApplication(db), await createTestApplication(db)];
    const { id, key } = await newKey(own.applicationId);

    expect(await revokeApiKey(db, other.applicationId, id)).toBe(false);
    expect(await changeKeyToClient(db, other.applicationId, id)).toBeNull();
    expect(await findKeyGrant(db, own.applicationId, key)).toMatchObject({ type: 'server' });
  });

  test('counts towards 16 live keys at most, also when 25 are created concurrently', async () => {
    const { applicationId } = await createTestApplication(db);

    const made = await Promise.all(
      Array.from({ length: 25 }, () =>
        createApiKey(db, { applicationId, type: 'server', name: 'a key' }),
      ),
    );

    expect(made.filter((key) => key !== 'too_many')).toHaveLength(LIMITS.keysMax);
    const [first] = await listApiKeys(db, applicationId);
    await revokeApiKey(db, applicationId, first?.id ?? '');
    expect(
      await createApiKey(db, { applicationId, type: 'client', name: 'room again' }),
    ).toMatchObject({ name: 'room again' });
  });
});

describe('the last use of keys', () => {
  const NOW = 1_800_000_000_000;

  test('is written for several keys at once, and for no others', async () => {
    const { applicationId } = await createTestApplication(db);
    const [used, also, unused] = [
      await newKey(applicationId),
      await newKey(applicationId),
      await newKey(applicationId),
    ];

    await recordKeyUses(db, [used.id, also.id, systemIds.uuid()], NOW);

    expect(
      new Map((await listApiKeys(db, applicationId)).map(({ id, lastUsedAt }) => [id, lastUsedAt])),
    ).toEqual(
      new Map([
        [used.id, NOW],
        [also.id, NOW],
        [unused.id, null],
      ]),
    );
  });

  test('is not written again within 30 seconds, and never moves back', async () => {
    const { applicationId } = await createTestApplication(db);
    const { id } = await newKey(applicationId);
    const lastUsedAt = async () => (await listApiKeys(db, applicationId))[0]?.lastUsedAt;
    const seen: unknown[] = [];

    for (const usedAt of [NOW, NOW + 20_000, NOW + 40_000, NOW - 1]) {
      await recordKeyUses(db, [id], usedAt);
      seen.push(await lastUsedAt());
    }

    expect(seen).toEqual([NOW, NOW, NOW + 40_000, NOW + 40_000]);
  });

  test('of a key whose row is locked is skipped without waiting', async () => {
    const { applicationId } = await createTestApplication(db);
    const [held, free] = [await newKey(applicationId), await newKey(applicationId)];

    await db.transaction(async (sql) => {
      await sql.query('select 1 from api_keys where id = $1 for update', [held.id]);
      await recordKeyUses(db, [held.id, free.id], NOW);
    });

    expect((await listApiKeys(db, applicationId)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([
      null,
      NOW,
    ]);
  });
});

describe('an administrator token', () => {
  const NOW = Date.now();
  test('is recognised by its text alone and stored only as a hash', async () => {
    const name = `operator ${systemIds.uuid()}`;

    const { token, ...shown } = await createAdminToken(db, {
      name,
      createdBy: 'member:ada@example.com',
    });

    expect(token).toMatch(/^at_[0-9A-Za-z]{40}$/);
    expect(await authenticateAdminToken(db, token, NOW)).toEqual({ id: shown.id, name });
    expect(await authenticateAdminToken(db, `${token}x`, NOW)).toBeNull();
    expect((await listAdminTokens(db)).filter(({ id }) => id === shown.id)).toEqual([
      { ...shown, lastUsedAt: NOW },
    ]);
    const { rows } = await db.sql.query<{ row: string }>(
      'select admin_tokens::text as row from admin_tokens where name = $1',
      [name],
    );
    expect(rows[0]?.row).not.toContain(token.slice(shown.prefix.length));
  });

  test('that is revoked is neither accepted nor listed', async () => {
    const { id, token } = await createAdminToken(db, { name: 'operator' });

    expect(await revokeAdminToken(db, id, NOW)).toBe(true);

    expect(await authenticateAdminToken(db, token, NOW)).toBeNull();
    expect((await listAdminTokens(db)).map((listed) => listed.id)).not.toContain(id);
    expect(await revokeAdminToken(db, id, NOW)).toBe(false);
  });
});
