import { afterAll, expect, test } from '@jest/globals';
import { createDefinition, type Definition } from '@tidings/events/definitions/definitions';
import { mergeDefinition } from '@tidings/events/definitions/change-definitions';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { PROFILE, readListens, REGISTERED, setListens } from './listens.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const createApplicationId = async () => (await createTestApplication(db)).applicationId;
const namesOf = async (...applicationIds: readonly string[]) =>
  Object.fromEntries(
    [...(await readListens(db.sql, applicationIds))].map(([id, names]) => [id, [...names].sort()]),
  );

async function define(applicationId: string, name: string): Promise<string> {
  const made = await createDefinition(db, { applicationId, name, kind: 'action' });
  if (typeof made === 'string') throw new Error(made);
  return (made satisfies Definition).slug;
}

test('an application has what was set last; one that listens to nothing is absent', async () => {
  const [one, other, silent] = [
    await createApplicationId(),
    await createApplicationId(),
    await createApplicationId(),
  ];
  await setListens(db.sql, one, ['abc', REGISTERED, 'abc']);
  await setListens(db.sql, other, [PROFILE]);
  await setListens(db.sql, one, ['abc', 'xyz']);

  expect(await namesOf(one, other, silent, one)).toEqual({
    [one]: ['abc', 'xyz'],
    [other]: [PROFILE],
  });
  await setListens(db.sql, one, []);
  expect(await namesOf(one, silent)).toEqual({});
});

test('a definition that was merged is heard by the name that its events have from then on', async () => {
  const applicationId = await createApplicationId();
  const [slug, into] = [
    await define(applicationId, 'Basket filled'),
    await define(applicationId, 'Cart filled'),
  ];
  await setListens(db.sql, applicationId, [slug]);
  expect(await namesOf(applicationId)).toEqual({ [applicationId]: [slug] });

  await mergeDefinition(db, { applicationId, slug, into });

  expect(await namesOf(applicationId)).toEqual({ [applicationId]: [slug, into].sort() });
});
