import { describe, expect, test } from '@jest/globals';
import { PROFILE_FIELDS, type ProfileUpdate } from '@tidings/contracts';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import fc from 'fast-check';
import { effectiveTime, emptyProfile, isNewer, joinProfiles, mergeProfile, type Profile, type Stamp, type StampedUpdate } from './profile-merge.ts';

const FIELDS = ['firstName', 'email', 'birthday'] as const;
/** Few, so that updates meet; among them every name that an ordinary object answers to by itself. */
const NAMES = ['plan', '__proto__', 'constructor', 'toString', 'a.b'] as const;
const LONG_MAX = 9223372036854775807n;

const times = fc.constantFrom<number | bigint>(-LONG_MAX - 1n, -5, 0, 1, 2, 9007199254740991, 9007199254740992n, 9007199254740993n, LONG_MAX);
const values = fc.oneof(
  fc.constantFrom<unknown>(null, 'x', '', true, 0, 1.5, 9007199254740993n, LONG_MAX, [null, 1], { __proto__: null, deep: 'y' }),
  fc.jsonValue({ maxDepth: 2 }),
);
const customAttributes = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.array(fc.tuple(fc.constantFrom(...NAMES), values), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)) },
);
const update: fc.Arbitrary<ProfileUpdate> = fc
  .record(
    {
      firstName: fc.option(fc.string({ maxLength: 3 })),
      email: fc.option(fc.constantFrom('a@example.com', 'b@example.com')),
      birthday: fc.option(fc.constantFrom<number | bigint>(-1, 0, LONG_MAX)),
      customAttributes,
    },
    { requiredKeys: [] },
  )
  // As a message arrives: parsed from its text.
  .map((value) => parseExactJson(stringifyExactJson(value)) as ProfileUpdate);
const updates: fc.Arbitrary<StampedUpdate[]> = fc
  .array(fc.tuple(times, update), { minLength: 1, maxLength: 8 })
  .map((entries) => entries.map(([time, value], index) => ({ update: value, stamp: [time, `m${index}`] satisfies Stamp })));

/** Every update at least once, some more often, in any order and in any groups. */
const arrivals = updates.chain((all) =>
  fc.record({
    all: fc.constant(all),
    arrived: fc
      .tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.array(fc.constantFrom(...all), { maxLength: 6 }))
      .chain(([each, again]) => fc.shuffledSubarray([...each, ...again], { minLength: each.length + again.length })),
    cuts: fc.infiniteStream(fc.boolean()),
  }),
);

describe('a profile', () => {
  test('is the same in any order, repetition and grouping of its updates', () => {
    fc.assert(
      fc.property(arrivals, ({ all, arrived, cuts }) => {
        const merged = inGroups(arrived, cuts).reduce((profile, group) => stored(mergeProfile(profile, group).profile), emptyProfile());

        expect(textOf(merged)).toBe(textOf(mergeProfile(emptyProfile(), all).profile));
      }),
      { numRuns: 1000 },
    );
  });

  test('has in each field the value with the greatest time, ties by message id, and nothing where that cleared it', () => {
    fc.assert(
      fc.property(updates, (all) => {
        const { fields, customAttributes: custom } = mergeProfile(emptyProfile(), all).profile;

        expect(textOf({ fields, custom })).toBe(textOf(expectedValues(all)));
      }),
      { numRuns: 500 },
    );
  });

  test('of one person known under two users is that of all updates at once, whoever joins whom', () => {
    const shares = updates.chain((all) =>
      fc.tuple(fc.constant(all), fc.subarray(all), fc.array(fc.constantFrom(...all), { maxLength: 3 })),
    );
    fc.assert(
      fc.property(shares, ([all, some, both]) => {
        const one = stored(mergeProfile(emptyProfile(), [...some, ...both]).profile);
        const other = stored(mergeProfile(emptyProfile(), [...all.filter((item) => !some.includes(item)), ...both]).profile);
        const expected = textOf(mergeProfile(emptyProfile(), all).profile);

        expect(textOf(joinProfiles(one, other))).toBe(expected);
        expect(textOf(joinProfiles(other, one))).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('that was read from the database is not changed by what is merged into it', () => {
    const before = stored(mergeProfile(emptyProfile(), [stamped(1, 'a', { firstName: 'Ada', customAttributes: { plan: 'free' } })]).profile);
    const text = textOf(before);

    mergeProfile(before, [stamped(2, 'b', { firstName: null, customAttributes: null })]);
    joinProfiles(before, mergeProfile(emptyProfile(), [stamped(3, 'c', { customAttributes: { plan: 'pro' } })]).profile);

    expect(textOf(before)).toBe(text);
  });
});

describe('an update is stale', () => {
  const standing = mergeProfile(emptyProfile(), [stamped(5, 'm5', { email: 'a@example.com', customAttributes: { plan: 'free' } })]).profile;
  const cleared = mergeProfile(emptyProfile(), [stamped(5, 'm5', { customAttributes: null })]).profile;

  test.each([
    ['when a field of it has a newer value', standing, stamped(4, 'm4', { email: 'b@example.com' }), true],
    ['when a custom attribute of it has a newer value', standing, stamped(4, 'm4', { customAttributes: { plan: 'pro' } }), true],
    ['when all custom attributes were cleared since', cleared, stamped(4, 'm4', { customAttributes: { plan: 'pro' } }), true],
    ['when it clears what was cleared since', cleared, stamped(4, 'm4', { customAttributes: null }), true],
    ['when one of several fields has a newer value', standing, stamped(4, 'm4', { email: 'b@example.com', firstName: 'Ada' }), true],
    ['not when its fields are other ones', standing, stamped(4, 'm4', { firstName: 'Ada' }), false],
    ['not when it is newer', standing, stamped(6, 'm6', { email: null }), false],
    ['not when its time is the same and its id greater', standing, stamped(5, 'm6', { email: null }), false],
    ['when its time is the same and its id smaller', standing, stamped(5, 'm4', { email: null }), true],
    ['not when it is the very update that stands', standing, stamped(5, 'm5', { email: 'a@example.com' }), false],
    ['not when it sets nothing', standing, stamped(1, 'm1', {}), false],
  ])('%s', (_, profile, item, expected) => {
    expect(mergeProfile(profile, [item]).stale).toEqual([expected]);
  });
});

describe('the time that counts', () => {
  const now = 1_700_000_000_000;

  test.each<[string, number | bigint, number | bigint]>([
    ['a past time counts as it is', -5, -5],
    ['ten minutes ahead counts as it is', now + 600_000, now + 600_000],
    ['a millisecond more counts as the acceptance', now + 600_001, now],
    ['the last Long counts as the acceptance', LONG_MAX, now],
    ['the first Long counts as it is', -LONG_MAX - 1n, -LONG_MAX - 1n],
  ])('%s', (_, time, expected) => {
    expect(effectiveTime(time, now)).toBe(expected);
  });
});

function stamped(time: number | bigint, id: string, value: ProfileUpdate): StampedUpdate {
  return { update: value, stamp: [time, id] };
}

function inGroups<T>(items: readonly T[], cuts: Iterator<boolean>): T[][] {
  const groups: T[][] = [[]];
  for (const item of items) {
    if (cuts.next().value === true) groups.push([]);
    groups.at(-1)?.push(item);
  }
  return groups;
}

/** As it comes back from the database. */
function stored(profile: Profile): Profile {
  return parseExactJson(stringifyExactJson(profile)) as Profile;
}

/** One text for equal values: keys sorted, `__proto__` like any other. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== 'object' || value === null) return stringifyExactJson(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${textOf(item)}`).join()}}`;
}

/** The rule, said without clocks: of all updates that speak of a name, the newest is right. */
function expectedValues(all: readonly StampedUpdate[]): unknown {
  const newest = (speaking: readonly StampedUpdate[]): StampedUpdate | undefined =>
    speaking.reduce<StampedUpdate | undefined>((best, item) => (isNewer(item.stamp, best?.stamp) ? item : best), undefined);
  const entry = (name: string, value: unknown): [string, unknown][] => (value == null ? [] : [[name, value]]);

  const fields = FIELDS.flatMap((field) => entry(field, newest(all.filter((item) => item.update[field] !== undefined))?.update[field]));
  const clearing = newest(all.filter((item) => item.update.customAttributes === null));
  const custom = NAMES.flatMap((name) => {
    const setting = newest(all.filter(({ update: { customAttributes: own } }) => own != null && Object.hasOwn(own, name)));
    const stands = setting !== undefined && isNewer(setting.stamp, clearing?.stamp);
    return stands ? entry(name, new Map(Object.entries(setting.update.customAttributes ?? {})).get(name)) : [];
  });
  return { fields: Object.fromEntries(fields), custom: Object.fromEntries(custom) };
}

test('the fields tried here are fields of a profile', () => {
  expect(PROFILE_FIELDS).toEqual(expect.arrayContaining([...FIELDS]));
});
