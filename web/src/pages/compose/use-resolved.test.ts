import { expect, test } from '@jest/globals';
import { isContact } from './audience.ts';
import { listMissingPeople, matchTexts } from './use-resolved.ts';

test.each([
  ['ada@example.com', true],
  ['+49 151 12345678', true],
  ['0151/123.456-78', true],
  ['4711', false],
  ['ada', false],
  ['user-1234567', false],
])('%s may be an address: %s', (text, expected) => {
  expect(isContact(text)).toBe(expected);
});

const state = (
  found: Readonly<Record<string, readonly string[]>>,
  ...texts: readonly string[]
) => ({
  ...matchTexts(texts, new Map(Object.entries(found))),
  isAsking: false,
  error: null,
  refetch: () => undefined,
});

test('an address stands for its user once, and an id for itself', () => {
  const people = state({ 'ada@example.com': ['ada'] }, 'ada', 'ada@example.com', 'grace');

  expect(people.ids).toEqual(['ada', 'grace']);
  expect(listMissingPeople(people)).toEqual([]);
});

test('none of several users is taken', () => {
  const people = state({ 'a@example.com': ['u-1', 'u-2'] }, 'grace', 'a@example.com');

  expect(people.ids).toEqual(['grace']);
  expect(people.several).toEqual([['a@example.com', ['u-1', 'u-2']]]);
  expect(listMissingPeople(people)).toEqual(['whom you mean by an address of several people']);
});

test('an address of no user is left out; with no one else, there is no one', () => {
  const people = state({ 'a@example.com': [] }, 'a@example.com');

  expect(people.unknown).toEqual(['a@example.com']);
  expect(listMissingPeople(people)).toEqual(['people who are registered']);
  expect(listMissingPeople(state({ 'a@example.com': [] }, 'ada', 'a@example.com'))).toEqual([]);
});

test('until the users are known nothing is sent', () => {
  const people = state({}, 'a@example.com');

  expect(listMissingPeople({ ...people, isAsking: true })).toHaveLength(1);
  expect(listMissingPeople({ ...people, error: new Error('lost') })).toHaveLength(1);
});
