import { expect, test } from '@jest/globals';
import { PROFILE_FIELDS, type ProfileUpdate } from '@tidings/contracts/ingest/ingest';
import type { KeyType } from '@tidings/contracts/ingest/records';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import {
  emptyProfile,
  joinProfiles,
  mergeProfile,
  type Profile,
  type Stamp,
} from './profile-merge.ts';
import { stampUpdate } from './profiles.ts';

const FIELDS = ['firstName', 'email', 'hashedPhoneNumber', 'birthday'] as const;
const CONTACTS = new Set<string>(['email', 'hashedPhoneNumber']);
/**
 * Few names, so that updates collide. Includes every property name that a plain object inherits.
 */
const NAMES = ['plan', '__proto__', 'constructor', 'toString', 'a.b'] as const;
const LONG_MAX = 9223372036854775807n;
const NOW = 1_700_000_000_000;

const times = fc.constantFrom<number | bigint>(
  -LONG_MAX - 1n,
  -5,
  0,
  1,
  2,
  NOW,
  NOW + 1,
  NOW + 600_000,
  NOW + 600_001,
  9007199254740991,
  9007199254740992n,
  9007199254740993n,
  LONG_MAX,
);
const values = fc.constantFrom<unknown>(
  null,
  'x',
  '',
  true,
  0,
  1.5,
  9007199254740993n,
  LONG_MAX,
  [null, 1],
  { deep: 'y' },
  'z',
);
const customAttributes = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...NAMES), values), { maxLength: 2 })
      .map((entries) => Object.fromEntries(entries)),
  },
);
const update: fc.Arbitrary<ProfileUpdate> = fc.record(
  {
    firstName: fc.constantFrom(null, 'Ada', ''),
    email: fc.constantFrom(null, 'a@example.com', 'b@example.com'),
    hashedPhoneNumber: fc.constantFrom(null, 'h1', 'h2'),
    birthday: fc.constantFrom<number | null>(null, -1, 0),
    customAttributes,
  },
  { requiredKeys: [] },
);

/**
 * The target of a message: the person, or an anonymous user that is merged into the person later.
 */
const USERS = ['person', 'phone', 'laptop'] as const;
type User = (typeof USERS)[number];
type Sent = { readonly to: User; readonly update: ProfileUpdate } & Omit<
  Parameters<typeof stampUpdate>[0],
  'update'
>;
type Join = { readonly joins: User };
const JOINS: readonly Join[] = [{ joins: 'phone' }, { joins: 'laptop' }];

const messages = fc
  .array(
    fc.record({
      to: fc.constantFrom(...USERS),
      keyType: fc.constantFrom<KeyType>('server', 'client'),
      isProved: fc.boolean(),
      time: times,
      receivedAt: fc.constantFrom(NOW, NOW + 1, NOW + 600_001),
      update,
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((all) =>
    all.map((item, index): Sent => ({
      ...item,
      registers: item.to === 'person',
      messageId: `m${index}`,
    })),
  );

/** Every message at least once, some repeatedly, and both merges, in any order and any batches. */
const arrivals = messages.chain((all) =>
  fc.record({
    all: fc.constant(all),
    arrived: fc
      .array(fc.constantFrom<Sent | Join>(...all, ...JOINS), { maxLength: 5 })
      .chain((again) =>
        fc.shuffledSubarray<Sent | Join>([...all, ...JOINS, ...again], {
          minLength: all.length + JOINS.length + again.length,
        }),
      ),
    cuts: fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }),
    isOpen: fc.boolean(),
  }),
);

test('a person’s profile does not depend on order, repetition and batching of messages, nor on when anonymous users are merged', () => {
  fc.assert(
    fc.property(arrivals, ({ all, arrived, cuts, isOpen }) => {
      const settings = { clientKeysChangeContacts: isOpen };
      const profile = arrive(arrived, cuts, (batch) =>
        batch.map((item) => stampUpdate(item, settings)),
      );

      const atOnce = mergeProfile(
        emptyProfile(),
        all.map((item) => stampUpdate(item, settings)),
      ).profile;
      expectSame(profile, atOnce);
      expectSame(
        { fields: profile.fields, custom: profile.customAttributes },
        expectedValues(all, isOpen),
      );
    }),
    propertyRuns(1000),
  );
}, 7_200_000);

test('merging is symmetric for two users of one person', () => {
  const shares = messages.chain((all) =>
    fc.tuple(
      fc.constant(all),
      fc.subarray(all),
      fc.array(fc.constantFrom(...all), { maxLength: 3 }),
    ),
  );
  fc.assert(
    fc.property(shares, ([all, some, both]) => {
      const profileOf = (own: readonly Sent[]): Profile =>
        stored(
          mergeProfile(
            emptyProfile(),
            own.map((item) => stampUpdate(item, {})),
          ).profile,
        );
      const one = profileOf([...some, ...both]);
      const other = profileOf([...all.filter((item) => !some.includes(item)), ...both]);

      expectSame(joinProfiles(one, other), profileOf(all));
      expectSame(joinProfiles(other, one), profileOf(all));
    }),
    { numRuns: 500 },
  );
});

test('the fields used here are profile fields', () => {
  expect(PROFILE_FIELDS).toEqual(expect.arrayContaining([...FIELDS]));
});

/** Runs the profile logic of the consumers' transactions without a database. */
function arrive(
  arrived: readonly (Sent | Join)[],
  cuts: readonly boolean[],
  stamp: (batch: readonly Sent[]) => ReturnType<typeof stampUpdate>[],
): Profile {
  const profiles = new Map<User, Profile>(USERS.map((user) => [user, emptyProfile()]));
  const joined = new Set<User>();
  const profileOf = (user: User): Profile => profiles.get(user) ?? emptyProfile();
  let batch: Sent[] = [];
  const apply = (): void => {
    const groups = Map.groupBy(batch, ({ to }): User => (joined.has(to) ? 'person' : to));
    for (const [user, group] of groups)
      profiles.set(user, stored(mergeProfile(profileOf(user), stamp(group)).profile));
    batch = [];
  };
  for (const [index, item] of arrived.entries()) {
    if (cuts[index] === true || 'joins' in item) apply();
    if (!('joins' in item)) batch.push(item);
    else if (!joined.has(item.joins)) {
      profiles.set('person', stored(joinProfiles(profileOf('person'), profileOf(item.joins))));
      joined.add(item.joins);
    }
  }
  apply();
  return profileOf('person');
}

/** Simulates a round trip through the database. */
function stored(profile: Profile): Profile {
  return parseExactJson(stringifyExactJson(profile)) as Profile;
}

/** `assert` instead of `expect`: a million matcher calls would dominate the run time. */
function expectSame(actual: unknown, expected: unknown): void {
  assert.equal(textOf(actual), textOf(expected));
}

/** A canonical text for equal values: keys sorted, `__proto__` treated like any key. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== 'object' || value === null) return stringifyExactJson(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${textOf(item)}`).join()}}`;
}

/**
 * The specification without clocks: among the messages that may set a field, a proved one wins,
 * then the newest.
 */
function expectedValues(all: readonly Sent[], isOpen: boolean): unknown {
  const isUnproved = ({ keyType, isProved }: Sent): boolean =>
    keyType === 'client' && !isProved && !isOpen;
  const timeOf = ({ time, receivedAt, keyType }: Sent): bigint => {
    const latest = BigInt(receivedAt + (keyType === 'client' ? 0 : 600_000));
    return BigInt(time) > latest ? BigInt(receivedAt) : BigInt(time);
  };
  const isEarlier = (a: Sent, b: Sent): boolean =>
    timeOf(a) < timeOf(b) || (timeOf(a) === timeOf(b) && a.messageId < b.messageId);
  const isBefore = (a: Sent, b: Sent): boolean =>
    isUnproved(a) === isUnproved(b) ? isEarlier(a, b) : isUnproved(a);
  const newest = (speaking: readonly Sent[]): Sent | undefined =>
    speaking.reduce<Sent | undefined>(
      (best, item) => (best === undefined || isBefore(best, item) ? item : best),
      undefined,
    );
  const entry = (name: string, value: unknown): [string, unknown][] =>
    value == null ? [] : [[name, value]];

  const fields = FIELDS.flatMap((field) => {
    const maySpeak = (item: Sent): boolean =>
      !(CONTACTS.has(field) && isUnproved(item) && item.registers);
    return entry(
      field,
      newest(all.filter((item) => item.update[field] !== undefined && maySpeak(item)))?.update[
        field
      ],
    );
  });
  const clearing = newest(all.filter((item) => item.update.customAttributes === null));
  const custom = NAMES.flatMap((name) => {
    const setting = newest(
      all.filter(
        ({ update: { customAttributes: own } }) => own != null && Object.hasOwn(own, name),
      ),
    );
    const stands = setting !== undefined && (clearing === undefined || isBefore(clearing, setting));
    return stands
      ? entry(name, new Map(Object.entries(setting.update.customAttributes ?? {})).get(name))
      : [];
  });
  return { fields: Object.fromEntries(fields), custom: Object.fromEntries(custom) };
}

/** A stamp is read back as it was written. */
test('the stamp of a Client key survives a round trip through the database', () => {
  const { profile } = mergeProfile(emptyProfile(), [
    stampUpdate(
      {
        keyType: 'client',
        isProved: false,
        registers: false,
        time: LONG_MAX,
        receivedAt: NOW,
        messageId: 'm',
        update: { email: 'a' },
      },
      {},
    ),
  ]);
  const stamp: Stamp | undefined = stored(profile).clocks.fields['email'];

  expect(stamp).toEqual([NOW, 'm', 'client']);
});
