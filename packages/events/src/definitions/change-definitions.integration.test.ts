import { afterAll, describe, expect, test } from '@jest/globals';
import type { EventKind } from '@tidings/contracts/ingest/ingest';
import { LIMITS } from '@tidings/contracts/limits';
import { connectTestDatabase, createTestApplication, transactUntilDone } from '@tidings/testing';
import { changeDefinition, mergeDefinition } from './change-definitions.ts';
import { createDefinition, listDefinitions } from './definitions.ts';
import { deleteDefinition } from './delete-definition.ts';
import { resolveDefinitions } from './resolve-definitions.ts';

const db = connectTestDatabase({ poolMax: 20 });
afterAll(() => db.close());

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  return {
    applicationId,
    /** The slug of a new definition. */
    async make(name: string, kind: EventKind = 'action'): Promise<string> {
      const made = await createDefinition(db, { applicationId, name, kind });
      if (typeof made === 'string') throw new Error(made);
      return made.slug;
    },
    async resolve(
      ...namings: readonly ({ readonly slug: string } | { readonly customName: string })[]
    ): Promise<string[]> {
      const answers = await transactUntilDone(db, (sql) =>
        resolveDefinitions(
          sql,
          namings.map((naming) => ({
            applicationId,
            kind: 'action' as const,
            keyType: 'server' as const,
            ...naming,
          })),
        ),
      );
      return answers.map((answer) => ('slug' in answer ? answer.slug : answer.reason));
    },
    change: (slug: string, change: { readonly name?: string; readonly discarded?: boolean }) =>
      changeDefinition(db, { applicationId, slug }, change),
    merge: (slug: string, into: string) => mergeDefinition(db, { applicationId, slug, into }),
    remove: (slug: string) => deleteDefinition(db, { applicationId, slug }),
    pointers: async () =>
      Object.fromEntries(
        (await listDefinitions(db, applicationId)).map(({ name, mergedInto }) => [
          name,
          mergedInto,
        ]),
      ),
  };
}

describe('a renamed definition', () => {
  test('has its new name at once and keeps its slug; the old name is free', async () => {
    const { make, change, resolve } = await newTenant();
    const slug = await make('old');

    await change(slug, { name: 'new' });

    const [bySlug, byName, byOldName] = await resolve(
      { slug },
      { customName: 'new' },
      { customName: 'old' },
    );
    expect([bySlug, byName]).toEqual([slug, slug]);
    expect(byOldName).not.toBe(slug);
  });

  test('never shares its name with one that a concurrent first event creates', async () => {
    const { make, change, resolve, pointers } = await newTenant();
    const slug = await make('old');

    const [changed] = await Promise.all([
      change(slug, { name: 'new' }),
      ...Array.from({ length: 10 }, () => resolve({ customName: 'new' })),
    ]);

    expect(Object.keys(await pointers())).toEqual(
      changed === 'name_taken' ? ['new', 'old'] : ['new'],
    );
  });
});

test('events of a discarded definition get that reason until it is restored', async () => {
  const { make, change, resolve } = await newTenant();
  const slug = await make('noise');

  await change(slug, { discarded: true });
  expect(await resolve({ slug }, { customName: 'noise' })).toEqual([
    'definition_discarded',
    'definition_discarded',
  ]);

  await change(slug, { discarded: false });
  expect(await resolve({ slug }, { customName: 'noise' })).toEqual([slug, slug]);
});

describe('a merged definition', () => {
  test('resolves to the target, by slug and by name', async () => {
    const { make, merge, resolve } = await newTenant();
    const [slug, into] = [await make('signup'), await make('registered')];

    await merge(slug, into);

    expect(
      await resolve(
        { slug },
        { customName: 'signup' },
        { slug: into },
        { customName: 'registered' },
      ),
    ).toEqual([into, into, into, into]);
    expect(await resolve({ slug }, { slug }, { customName: 'signup' })).toEqual([into, into, into]);
  });

  test('moves definitions merged into it to the new target: a pointer is one step', async () => {
    const { make, merge, resolve, pointers } = await newTenant();
    const [a, b, c] = [await make('a'), await make('b'), await make('c')];

    await merge(a, b);
    await merge(b, c);

    expect(await pointers()).toEqual({ a: c, b: c, c: undefined });
    expect(await resolve({ slug: a }, { customName: 'a' }, { slug: b })).toEqual([c, c, c]);
  });

  test('is discarded together with its target', async () => {
    const { make, merge, change, resolve } = await newTenant();
    const [slug, into] = [await make('a'), await make('b')];
    await merge(slug, into);

    await change(into, { discarded: true });

    expect(await resolve({ slug }, { customName: 'a' })).toEqual([
      'definition_discarded',
      'definition_discarded',
    ]);
  });

  test('resolves for an event that arrives during the merge, in any order', async () => {
    const { make, merge, resolve } = await newTenant();
    const [slug, into] = [await make('a'), await make('b')];

    const seen = await Promise.all([
      merge(slug, into),
      ...Array.from({ length: 10 }, () => resolve({ customName: 'a' })),
    ]);

    expect(
      seen
        .slice(1)
        .flat()
        .filter((found) => found !== slug && found !== into),
    ).toEqual([]);
    expect(await resolve({ customName: 'a' })).toEqual([into]);
  });

  test('two concurrent merges of two definitions into each other: only one succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { make, merge, pointers } = await newTenant();
      const [a, b] = [await make('a'), await make('b')];

      const answers = await Promise.all([merge(a, b), merge(b, a)]);

      expect(answers.filter((answer) => answer === 'merged')).toHaveLength(1);
      expect(
        Object.values(await pointers()).filter((pointer) => pointer !== undefined),
      ).toHaveLength(1);
    }
  });
});

describe('a deleted definition', () => {
  test('is no longer listed, and its name recreates it under the same slug', async () => {
    const { make, remove, change, resolve, pointers } = await newTenant();
    const slug = await make('noise');
    await change(slug, { discarded: true });

    expect(await remove(slug)).toBe('deleted');

    expect(await pointers()).toEqual({});
    expect(await change(slug, { name: 'x' })).toBeNull();
    expect(await remove(slug)).toBeNull();
    expect(await resolve({ slug })).toEqual(['unknown_slug']);
    expect(await resolve({ customName: 'noise' })).toEqual([slug]);
    expect(await resolve({ slug })).toEqual([slug]);
  });

  test('reserves its name: renaming to it is rejected, and creating it restores it', async () => {
    const { make, remove, change, merge } = await newTenant();
    const [gone, other] = [await make('gone'), await make('other')];
    await remove(gone);

    expect(await change(other, { name: 'gone' })).toBe('name_of_deleted');
    expect(await merge(other, gone)).toBe('into_unknown');
    expect(await make('gone')).toBe(gone);
  });

  test('had no stored events, visible or held', async () => {
    const { applicationId, make, remove } = await newTenant();
    const [used, unused] = [await make('used'), await make('unused')];
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at)
       values (gen_random_uuid(), 0, $1, 'm1', 'action', $2, 0, now())`,
      [applicationId, used],
    );

    expect([await remove(used), await remove(unused)]).toEqual(['in_use', 'deleted']);
    await db.sql.query('delete from events where application_id = $1', [applicationId]);
    expect(await remove(used)).toBe('deleted');
  });

  test('took part in no merge', async () => {
    const { make, remove, merge } = await newTenant();
    const [a, b] = [await make('a'), await make('b')];
    await merge(a, b);

    expect([await remove(a), await remove(b)]).toEqual(['merged', 'merged']);
  });
});

test('a discarded definition is restored only within its budget', async () => {
  const { applicationId, make, change } = await newTenant();
  const slug = await make('noise');
  await change(slug, { discarded: true });
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin) select $1, 'z' || n, 'action', 'filler ' || n, 'auto' from generate_series(1, $2) as n`,
    [applicationId, LIMITS.definitionsMax],
  );

  expect(await change(slug, { discarded: false })).toBe('too_many');
  await change('z1', { discarded: true });
  expect(await change(slug, { discarded: false })).toMatchObject({ slug, discarded: false });
});

test('another application’s definition is not found', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const [own, theirs] = [await tenant.make('a'), await other.make('b')];

  expect(await tenant.change(theirs, { name: 'x' })).toBeNull();
  expect(await tenant.remove(theirs)).toBeNull();
  expect(await tenant.merge(theirs, own)).toBeNull();
  expect(await tenant.merge(own, theirs)).toBe('into_unknown');
});
