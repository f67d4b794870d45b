import { afterAll, describe, expect, test } from '@jest/globals';
import type { EventKind } from '@tidings/contracts';
import { connectTestDatabase, createTestApplication, transactUntilDone } from '@tidings/testing';
import { changeDefinition, mergeDefinition } from './change-definitions.ts';
import { createDefinition, listDefinitions } from './definitions.ts';
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
    async resolve(...namings: readonly ({ readonly slug: string } | { readonly customName: string })[]): Promise<string[]> {
      const answers = await transactUntilDone(db, (sql) => resolveDefinitions(sql, namings.map((naming) => ({ applicationId, kind: 'action' as const, ...naming }))));
      return answers.map((answer) => ('slug' in answer ? answer.slug : answer.reason));
    },
    change: (slug: string, change: { readonly name?: string; readonly discarded?: boolean }) => changeDefinition(db, { applicationId, slug }, change),
    merge: (slug: string, into: string) => mergeDefinition(db, { applicationId, slug, into }),
    pointers: async () => Object.fromEntries((await listDefinitions(db, applicationId)).map(({ name, mergedInto }) => [name, mergedInto])),
  };
}

describe('a renamed definition', () => {
  test('has its new name at once, and its slug as before; the old name is free', async () => {
    const { make, change, resolve } = await newTenant();
    const slug = await make('old');

    await change(slug, { name: 'new' });

    const [bySlug, byName, byOldName] = await resolve({ slug }, { customName: 'new' }, { customName: 'old' });
    expect([bySlug, byName]).toEqual([slug, slug]);
    expect(byOldName).not.toBe(slug);
  });

  test('never shares its name with one that a first event makes at the same time', async () => {
    const { make, change, resolve, pointers } = await newTenant();
    const slug = await make('old');

    const [changed] = await Promise.all([change(slug, { name: 'new' }), ...Array.from({ length: 10 }, () => resolve({ customName: 'new' }))]);

    expect(Object.keys(await pointers())).toEqual(changed === 'name_taken' ? ['new', 'old'] : ['new']);
  });
});

test('events of a discarded definition are told so, until it is taken back', async () => {
  const { make, change, resolve } = await newTenant();
  const slug = await make('noise');

  await change(slug, { discarded: true });
  expect(await resolve({ slug }, { customName: 'noise' })).toEqual(['definition_discarded', 'definition_discarded']);

  await change(slug, { discarded: false });
  expect(await resolve({ slug }, { customName: 'noise' })).toEqual([slug, slug]);
});

describe('a merged definition', () => {
  test('stands for the other, by slug and by name', async () => {
    const { make, merge, resolve } = await newTenant();
    const [slug, into] = [await make('signup'), await make('registered')];

    await merge(slug, into);

    expect(await resolve({ slug }, { customName: 'signup' }, { slug: into }, { customName: 'registered' })).toEqual([into, into, into, into]);
    expect(await resolve({ slug }, { slug }, { customName: 'signup' })).toEqual([into, into, into]);
  });

  test('takes those along that were merged into it: a pointer is one step', async () => {
    const { make, merge, resolve, pointers } = await newTenant();
    const [a, b, c] = [await make('a'), await make('b'), await make('c')];

    await merge(a, b);
    await merge(b, c);

    expect(await pointers()).toEqual({ a: c, b: c, c: undefined });
    expect(await resolve({ slug: a }, { customName: 'a' }, { slug: b })).toEqual([c, c, c]);
  });

  test('is discarded with the other', async () => {
    const { make, merge, change, resolve } = await newTenant();
    const [slug, into] = [await make('a'), await make('b')];
    await merge(slug, into);

    await change(into, { discarded: true });

    expect(await resolve({ slug }, { customName: 'a' })).toEqual(['definition_discarded', 'definition_discarded']);
  });

  test('is known to an event that comes while it is made, in whatever order', async () => {
    const { make, merge, resolve } = await newTenant();
    const [slug, into] = [await make('a'), await make('b')];

    const seen = await Promise.all([merge(slug, into), ...Array.from({ length: 10 }, () => resolve({ customName: 'a' }))]);

    expect(seen.slice(1).flat().filter((found) => found !== slug && found !== into)).toEqual([]);
    expect(await resolve({ customName: 'a' })).toEqual([into]);
  });

  test('two that are merged into each other at the same time: one of the two', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { make, merge, pointers } = await newTenant();
      const [a, b] = [await make('a'), await make('b')];

      const answers = await Promise.all([merge(a, b), merge(b, a)]);

      expect(answers.filter((answer) => answer === 'merged')).toHaveLength(1);
      expect(Object.values(await pointers()).filter((pointer) => pointer !== undefined)).toHaveLength(1);
    }
  });
});

test('a definition of another application is none', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const [own, theirs] = [await tenant.make('a'), await other.make('b')];

  expect(await tenant.change(theirs, { name: 'x' })).toBeNull();
  expect(await tenant.merge(theirs, own)).toBeNull();
  expect(await tenant.merge(own, theirs)).toBe('into_unknown');
});
