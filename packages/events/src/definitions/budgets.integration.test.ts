import { afterAll, describe, expect, test } from '@jest/globals';
import type { KeyType } from '@tidings/contracts/ingest/records';
import { LIMITS } from '@tidings/contracts/limits';
import { updateApplication } from '@tidings/people/update-application';
import { connectTestDatabase, createTestApplication, transactUntilDone } from '@tidings/testing';
import { countDefinitions } from './budgets.ts';
import { createDefinition } from './definitions.ts';
import { resolveDefinitions } from './resolve-definitions.ts';

const db = connectTestDatabase({ poolMax: 30 });
afterAll(() => db.close());

const {
  clientDefinitionsMax: MAX,
  clientDefinitionsBurst: BURST,
  clientDefinitionsPerHour: PER_HOUR,
} = LIMITS;
const names = (count: number, prefix = 'page'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  const resolve = (keyType: KeyType, customNames: readonly string[]) =>
    transactUntilDone(db, (sql) =>
      resolveDefinitions(
        sql,
        customNames.map((customName) => ({
          applicationId,
          kind: 'action' as const,
          keyType,
          customName,
        })),
      ),
    );
  return {
    applicationId,
    /**
     * Resolves the names, and returns how many have a definition; the others got
     * `definition_limit`.
     */
    async send(keyType: KeyType, customNames: readonly string[]): Promise<number> {
      const answers = await resolve(keyType, customNames);
      const found = answers.filter((answer) => 'slug' in answer).length;
      expect(
        answers.filter((answer) => 'reason' in answer && answer.reason === 'definition_limit'),
      ).toHaveLength(answers.length - found);
      return found;
    },
    resolve,
    fill: (count: number) =>
      db.sql.query(
        `insert into definitions (application_id, slug, kind, name, origin, by_client_key)
         select $1, 'z' || n, 'action', 'filler ' || n, 'auto', true from generate_series(1, $2) as n`,
        [applicationId, count],
      ),
    passHours: (hours: number) =>
      db.sql.query(
        "update client_definition_budgets set refilled_at = refilled_at - $2 * interval '1 hour' where application_id = $1",
        [applicationId, hours],
      ),
    count: () => countDefinitions(db.sql, { applicationId }),
  };
}

describe('names first sent by Client keys', () => {
  test('take no budget from Server keys, however many they are', async () => {
    const { applicationId, send, count } = await newTenant();

    expect(await send('client', names(1_000, 'first'))).toBe(BURST);
    expect(await send('client', names(1_000, 'second'))).toBe(0);

    expect(await send('server', ['order_placed', 'stock_low'])).toBe(2);
    expect(
      await createDefinition(db, { applicationId, name: 'ahead', kind: 'action' }),
    ).toMatchObject({ name: 'ahead', byClientKey: false });
    expect(await count()).toEqual({ server: 3, client: BURST });
  });

  test('are created up to the burst at once, then by the hour', async () => {
    const { send, passHours } = await newTenant();
    await send('client', names(BURST));

    await passHours(3);

    expect(await send('client', names(1_000, 'later'))).toBe(3 * PER_HOUR);
    await passHours(1_000);
    expect(await send('client', names(1_000, 'much later'))).toBe(BURST);
  });

  test('are limited, counting only live ones', async () => {
    const { applicationId, send, fill, count } = await newTenant();
    await fill(MAX - 1);

    expect(await send('client', names(5))).toBe(1);
    await db.sql.query(
      "update definitions set discarded = true where application_id = $1 and slug = any(array['z1', 'z2'])",
      [applicationId],
    );
    await db.sql.query(
      "update definitions set merged_into = 'z4' where application_id = $1 and slug = 'z3'",
      [applicationId],
    );

    expect(await send('client', names(10, 'more'))).toBe(3);
    expect(await count()).toEqual({ server: 0, client: MAX });
  });

  test('stay within the budget in concurrent batches', async () => {
    const { send } = await newTenant();

    const made = await Promise.all(
      Array.from({ length: 20 }, (_, batch) => send('client', names(10, `batch ${batch}`))),
    );

    expect(made.reduce((sum, one) => sum + one, 0)).toBe(BURST);
  });

  test('cost nothing when their transaction rolls back', async () => {
    const { applicationId, send } = await newTenant();

    const failing = db.transaction(async (sql) => {
      await resolveDefinitions(
        sql,
        names(BURST).map((customName) => ({
          applicationId,
          kind: 'action' as const,
          keyType: 'client' as const,
          customName,
        })),
      );
      throw new Error('it fails');
    });

    await expect(failing).rejects.toThrow('it fails');
    expect(await send('client', names(BURST))).toBe(BURST);
  });

  test('are available to all keys once created', async () => {
    const { send } = await newTenant();
    await send('client', names(BURST));

    expect(await send('client', names(BURST))).toBe(BURST);
    expect(await send('server', names(BURST))).toBe(BURST);
  });

  test('count for Server keys that send them in the same batch', async () => {
    const { applicationId, count } = await newTenant();
    const asked = { applicationId, kind: 'action', customName: 'order_placed' } as const;

    const answers = await transactUntilDone(db, (sql) =>
      resolveDefinitions(sql, [
        { ...asked, keyType: 'client' },
        { ...asked, keyType: 'server' },
      ]),
    );

    expect(answers).toEqual([answers[1], { slug: expect.any(String) }]);
    expect(await count()).toEqual({ server: 1, client: 0 });
  });

  test('create none where the application forbids it', async () => {
    const { applicationId, send } = await newTenant();
    await send('server', ['order_placed']);

    await updateApplication(db, applicationId, { settings: { clientKeysDefineEvents: false } });

    expect(await send('client', ['order_placed', 'page_viewed'])).toBe(1);
    expect(await send('server', ['page_viewed'])).toBe(1);
  });
});
