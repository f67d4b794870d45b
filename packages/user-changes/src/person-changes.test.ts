import { expect, test } from '@jest/globals';
import { PROFILE, REGISTERED } from './listens.ts';
import { changesOfPersons } from './person-changes.ts';

const [application, other] = ['a', 'b'];
const persons = [
  { applicationId: application, userId: 'first', hasRegistered: true },
  { applicationId: application, userId: 'second', anonymousId: 'visitor' },
  { applicationId: application, userId: 'second' },
  { applicationId: other, userId: 'third', hasRegistered: true },
];
const changesFor = (...names: readonly string[]) =>
  changesOfPersons(new Map([[application, new Set(names)]]), persons);

test('an application hears what it listens to, of its own persons', () => {
  expect(changesFor()).toEqual([]);
  expect(changesFor('cartd')).toEqual([]);
  expect(changesFor(REGISTERED)).toEqual([
    { kind: 'registered', userId: 'first' },
    { kind: 'merged', userId: 'second', anonymousId: 'visitor' },
  ]);
});

test('a profile that was written several times is one change, also by a merge', () => {
  expect(changesFor(PROFILE)).toEqual([
    { kind: 'profile', userId: 'first' },
    { kind: 'profile', userId: 'second' },
  ]);
  expect(changesFor(PROFILE, REGISTERED)).toHaveLength(4);
});
