import { afterAll, describe, expect, test } from '@jest/globals';
import type { EventKind } from '@tidings/contracts/ingest/ingest';
import type { KeyType } from '@tidings/contracts/ingest/records';
import { LIMITS } from '@tidings/contracts/limits';
import {
  connectTestDatabase,
  createTestApplication,
  transactUntilDone,
  untilBlockedBy,
} from '@tidings/testing';
import { createDefinition, listDefinitions } from './definitions.ts';
import { resolveDefinitions, type EventNaming } from './resolve-definitions.ts';

const db = connectTestDatabase({ poolMax: 50 });
afterAll(() => db.close());

type Naming = { readonly kind?: EventKind; readonly keyType?: KeyType } & (
  | { readonly slug: string }
  | { readonly customName: string }
);

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  return {
    applicationId,
    /** Resolves the namings in one transaction, and returns the slug or reason of each. */
    async resolve(...namings: readonly Naming[]): Promise<string[]> {
      const asked = namings.map((naming): EventNaming => ({
        applicationId,
        kind: 'action',
        keyType: 'server',
        ...naming,
      }));
      const answers = await transactUntilDone(db, (sql) => resolveDefinitions(sql, asked));
      return answers.map((answer) => ('slug' in answer ? answer.slug : answer.reason));
    },
    list: () => listDefinitions(db, applicationId),
    async fillUpTo(count: number): Promise<void> {
      await db.sql.query(
        `insert into definitions (application_id, slug, kind, name, origin)
         select $1, 'z' || n, 'action', 'filler ' || n, 'auto' from generate_series(1, $2) as n`,
        [applicationId, count],
      );
    },
    discard: (slug: string) =>
      db.sql.query(
        'update definitions set discarded = true where application_id = $1 and slug = $2',
        [applicationId, slug],
      ),
  };
}

describe('a custom name', () => {
  test('becomes a definition with a slug of five letters, which names the same event', async () => {
    const { resolve, list } = await newTenant();

    const [slug = ''] = await resolve({ customName: 'page viewed' });

    expect(slug).toMatch(/^[a-z]{5}$/);
    expect(await resolve({ customName: 'page viewed' }, { slug })).toEqual([slug, slug]);
    expect(await list()).toMatchObject([
      { slug, name: 'page viewed', kind: 'action', origin: 'auto', discarded: false },
    ]);
  });

  test('is created once by a hundred concurrent first events', async () => {
    const { resolve, list } = await newTenant();

    const slugs = await Promise.all(
      Array.from({ length: 100 }, () =>
        resolve({ customName: 'page viewed' }, { customName: 'page viewed' }),
      ),
    );

    expect(new Set(slugs.flat()).size).toBe(1);
    expect(await list()).toHaveLength(1);
  });

  test('just created by another transaction does not block transactions that wait for the lock', async () => {
    const { applicationId, resolve } = await newTenant();
    const viewed: EventNaming = {
      applicationId,
      kind: 'action',
      keyType: 'server',
      customName: 'viewed',
    };

    await db.transaction(async (waited) => {
      let waiting: Promise<unknown> | undefined;
      await db.transaction(async (maker) => {
        await resolveDefinitions(maker, [viewed]);
        waiting = resolveDefinitions(waited, [viewed]);
        await untilBlockedBy(db, maker);
      });
      await waiting;

      // `waited` is still open: if it kept the lock, this would time out.
      expect(await resolve({ customName: 'bought' })).toEqual([
        expect.stringMatching(/^[a-z]{5}$/),
      ]);
    });
  });

  test('is compared exactly', async () => {
    const { resolve, list } = await newTenant();
    const names = [
      'viewed',
      'Viewed',
      ' viewed',
      'viewed ',
      'vie\u0301wed',
      'vi\u00e9wed',
      '__proto__',
      "v'); drop table x",
      '{"a":1}',
      '👁',
    ];

    const slugs = await resolve(...names.map((customName) => ({ customName })));

    expect(new Set(slugs).size).toBe(names.length);
    expect(new Set((await list()).map(({ name }) => name))).toEqual(new Set(names));
  });

  test('under two kinds is two definitions', async () => {
    const { resolve, list } = await newTenant();

    const slugs = await resolve(
      { customName: 'order', kind: 'action' },
      { customName: 'order', kind: 'revenue' },
      { customName: 'order', kind: 'businessEvent' },
    );

    expect(new Set(slugs).size).toBe(3);
    expect(await list()).toHaveLength(3);
  });

  test('in two applications is two definitions', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];

    const slugs = [
      await tenant.resolve({ customName: 'order' }),
      await other.resolve({ customName: 'order' }),
    ].flat();

    expect(await other.resolve({ slug: slugs[0] ?? '' })).toEqual([
      slugs[0] === slugs[1] ? slugs[0] : 'unknown_slug',
    ]);
    expect([await tenant.list(), await other.list()].map((list) => list.length)).toEqual([1, 1]);
  });

  test('of a discarded definition stays discarded and is not recreated', async () => {
    const { resolve, list, discard } = await newTenant();
    const [slug = ''] = await resolve({ customName: 'order' });

    await discard(slug);

    expect(await resolve({ customName: 'order' }, { slug })).toEqual([
      'definition_discarded',
      'definition_discarded',
    ]);
    expect(await list()).toHaveLength(1);
  });
});

describe('a slug', () => {
  test('that is unknown creates no definition', async () => {
    const { resolve, list } = await newTenant();

    expect(await resolve({ slug: 'unknown' }, { slug: '__proto__' })).toEqual([
      'unknown_slug',
      'unknown_slug',
    ]);
    expect(await list()).toEqual([]);
  });

  test('of another kind is a mismatch, also when its definition is discarded', async () => {
    const { resolve, discard } = await newTenant();
    const [slug = ''] = await resolve({ customName: 'order', kind: 'revenue' });

    expect(await resolve({ slug, kind: 'action' })).toEqual(['slug_kind_mismatch']);
    await discard(slug);
    expect(await resolve({ slug, kind: 'action' })).toEqual(['slug_kind_mismatch']);
  });

  test('may have a length other than five', async () => {
    const { resolve, fillUpTo } = await newTenant();
    await fillUpTo(1);

    expect(await resolve({ slug: 'z1' }, { slug: 'Z1' })).toEqual(['z1', 'unknown_slug']);
  });
});

describe('the limit of definitions of an application', () => {
  test('holds within a batch: the first new names use up the budget', async () => {
    const { resolve, list, fillUpTo } = await newTenant();
    await fillUpTo(LIMITS.definitionsMax - 2);

    const answers = await resolve(
      { customName: 'c' },
      { customName: 'a' },
      { customName: 'c' },
      { customName: 'b' },
      { customName: 'filler 1' },
    );

    expect(answers).toEqual([
      expect.stringMatching(/^[a-z]{5}$/),
      expect.stringMatching(/^[a-z]{5}$/),
      answers[0],
      'definition_limit',
      'z1',
    ]);
    expect(await list()).toHaveLength(LIMITS.definitionsMax);
  });

  test('holds for concurrent batches', async () => {
    const { resolve, list, fillUpTo } = await newTenant();
    await fillUpTo(LIMITS.definitionsMax - 3);

    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => resolve({ customName: `new ${index}` })),
    );

    expect(answers.flat().filter((answer) => answer !== 'definition_limit')).toHaveLength(3);
    expect(await list()).toHaveLength(LIMITS.definitionsMax);
  });

  test('once reached costs a batch with new names two queries more and no lock', async () => {
    const { applicationId, fillUpTo } = await newTenant();
    await fillUpTo(LIMITS.definitionsMax);
    const statements: string[] = [];

    const answers = await db.transaction((sql) =>
      resolveDefinitions(
        {
          query: ((statement: string, values: unknown[]) => {
            statements.push(statement);
            return sql.query(statement, values);
          }) as typeof sql.query,
        },
        [{ applicationId, kind: 'action', keyType: 'server', customName: 'new' }],
      ),
    );

    expect(answers).toEqual([{ reason: 'definition_limit' }]);
    expect(statements).toHaveLength(3);
    expect(statements.join()).not.toMatch(/\b(update|insert)\b/);
  });

  test('does not count discarded and merged ones', async () => {
    const { applicationId, resolve, fillUpTo, discard } = await newTenant();
    await fillUpTo(LIMITS.definitionsMax);

    await discard('z1');
    await db.sql.query(
      "update definitions set merged_into = 'z3' where application_id = $1 and slug = 'z2'",
      [applicationId],
    );

    const answers = await resolve({ customName: 'a' }, { customName: 'b' }, { customName: 'c' });
    expect(answers).toEqual([
      expect.stringMatching(/^[a-z]{5}$/),
      expect.stringMatching(/^[a-z]{5}$/),
      'definition_limit',
    ]);
  });

  test('also holds for predefined definitions', async () => {
    const { applicationId, fillUpTo } = await newTenant();
    await fillUpTo(LIMITS.definitionsMax);

    expect(await createDefinition(db, { applicationId, name: 'ahead', kind: 'action' })).toBe(
      'too_many',
    );
    expect(await createDefinition(db, { applicationId, name: 'filler 1', kind: 'action' })).toBe(
      'conflict',
    );
  });
});

describe('a predefined definition', () => {
  test('names later events', async () => {
    const { applicationId, resolve, list } = await newTenant();

    const made = await createDefinition(db, { applicationId, name: 'order', kind: 'revenue' });

    expect(made).toMatchObject({
      slug: expect.stringMatching(/^[a-z]{5}$/),
      name: 'order',
      kind: 'revenue',
      origin: 'predefined',
      discarded: false,
    });
    expect(await list()).toEqual([made]);
    expect(await resolve({ customName: 'order', kind: 'revenue' })).toEqual(
      (await list()).map(({ slug }) => slug),
    );
  });

  test('created ten times concurrently, or beside first events, exists once', async () => {
    const { applicationId, resolve, list } = await newTenant();

    const made = await Promise.all(
      Array.from({ length: 10 }, () => [
        createDefinition(db, { applicationId, name: 'order', kind: 'action' }),
        resolve({ customName: 'order' }),
      ]).flat(),
    );

    expect(
      made.filter((answer) => typeof answer === 'object' && 'slug' in answer).length,
    ).toBeLessThanOrEqual(1);
    expect(await list()).toHaveLength(1);
  });

  test('with an existing name of the same kind is a conflict', async () => {
    const { applicationId } = await newTenant();
    await createDefinition(db, { applicationId, name: 'order', kind: 'action' });

    expect(await createDefinition(db, { applicationId, name: 'order', kind: 'action' })).toBe(
      'conflict',
    );
    expect(
      await createDefinition(db, { applicationId, name: 'order', kind: 'revenue' }),
    ).toMatchObject({ name: 'order' });
  });
});
