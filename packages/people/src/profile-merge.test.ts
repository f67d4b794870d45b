import { describe, expect, test } from '@jest/globals';
import type { ProfileUpdate } from '@tidings/contracts/ingest/ingest';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import {
  effectiveClientTime,
  effectiveTime,
  emptyProfile,
  joinProfiles,
  mergeProfile,
  type Profile,
  type StampedUpdate,
} from './profile-merge.ts';
import { stampUpdate } from './profiles.ts';

const LONG_MAX = 9223372036854775807n;
const facts = { receivedAt: 1_700_000_000_000 };

test('merging does not mutate a profile read from the database', () => {
  const before = stored(
    mergeProfile(emptyProfile(), [
      stamped(1, 'a', { firstName: 'Ada', customAttributes: { plan: 'free' } }),
    ]).profile,
  );
  const text = stringifyExactJson(before);

  mergeProfile(before, [stamped(2, 'b', { firstName: null, customAttributes: null })]);
  joinProfiles(
    before,
    mergeProfile(emptyProfile(), [stamped(3, 'c', { customAttributes: { plan: 'pro' } })]).profile,
  );

  expect(stringifyExactJson(before)).toBe(text);
});

describe('an update is stale', () => {
  const standing = mergeProfile(emptyProfile(), [
    stamped(5, 'm5', { email: 'a@example.com', customAttributes: { plan: 'free' } }),
  ]).profile;
  const cleared = mergeProfile(emptyProfile(), [
    stamped(5, 'm5', { customAttributes: null }),
  ]).profile;

  test.each([
    [
      'when one of its fields has a newer value',
      standing,
      stamped(4, 'm4', { email: 'b@example.com' }),
      true,
    ],
    [
      'when one of its custom attributes has a newer value',
      standing,
      stamped(4, 'm4', { customAttributes: { plan: 'pro' } }),
      true,
    ],
    [
      'when all custom attributes have been cleared since',
      cleared,
      stamped(4, 'm4', { customAttributes: { plan: 'pro' } }),
      true,
    ],
    [
      'when it clears custom attributes that have been cleared since',
      cleared,
      stamped(4, 'm4', { customAttributes: null }),
      true,
    ],
    [
      'when one of several fields has a newer value',
      standing,
      stamped(4, 'm4', { email: 'b@example.com', firstName: 'Ada' }),
      true,
    ],
    ['not when it sets other fields', standing, stamped(4, 'm4', { firstName: 'Ada' }), false],
    ['not when it is newer', standing, stamped(6, 'm6', { email: null }), false],
    [
      'not when its time is equal and its id is greater',
      standing,
      stamped(5, 'm6', { email: null }),
      false,
    ],
    [
      'when its time is equal and its id is smaller',
      standing,
      stamped(5, 'm4', { email: null }),
      true,
    ],
    [
      'not when it is the update that set the value',
      standing,
      stamped(5, 'm5', { email: 'a@example.com' }),
      false,
    ],
    ['not when it sets nothing', standing, stamped(1, 'm1', {}), false],
  ])('%s', (_, profile, item, expected) => {
    expect(mergeProfile(profile, [item]).skipped).toEqual([
      expected ? 'stale_profile_field' : null,
    ]);
  });
});

describe('an unproved update of a Client key', () => {
  const byServer = mergeProfile(emptyProfile(), [
    stamped(5, 'm5', {
      email: 'a@example.com',
      phoneNumber: null,
      firstName: 'Ada',
      customAttributes: { plan: 'free' },
    }),
  ]).profile;
  const byClient = mergeProfile(emptyProfile(), [
    unproved(5, 'm5', {
      email: 'a@example.com',
      firstName: 'Eve',
      customAttributes: { plan: 'pro' },
    }),
  ]).profile;
  const clearedByServer = mergeProfile(emptyProfile(), [
    stamped(5, 'm5', { customAttributes: null }),
  ]).profile;

  test.each<[string, Profile, StampedUpdate, string | null]>([
    [
      'a newer value is skipped where a Server key set one',
      byServer,
      unproved(9, 'm9', { firstName: 'Eve' }),
      'client_key_field',
    ],
    [
      'a newer value is skipped where a Server key cleared it',
      byServer,
      unproved(9, 'm9', { phoneNumber: '+1' }),
      'client_key_field',
    ],
    [
      'clearing is skipped as well',
      byServer,
      unproved(9, 'm9', { firstName: null }),
      'client_key_field',
    ],
    [
      'a newer custom attribute is skipped',
      byServer,
      unproved(9, 'm9', { customAttributes: { plan: 'enterprise' } }),
      'client_key_field',
    ],
    [
      'a custom attribute is skipped where a Server key cleared all',
      clearedByServer,
      unproved(9, 'm9', { customAttributes: { plan: 'pro' } }),
      'client_key_field',
    ],
    [
      'clearing all custom attributes is skipped where a Server key cleared all',
      clearedByServer,
      unproved(9, 'm9', { customAttributes: null }),
      'client_key_field',
    ],
    [
      'a value is accepted where none was set',
      emptyProfile(),
      unproved(1, 'm1', {
        email: 'b@example.com',
        firstName: 'Eve',
        customAttributes: { vip: true },
      }),
      null,
    ],
    [
      'a field is accepted beside those of a Server key',
      byServer,
      unproved(1, 'm1', { city: 'Paris', customAttributes: { vip: true } }),
      null,
    ],
    [
      'a newer value is accepted where a Client key set one',
      byClient,
      unproved(9, 'm9', { email: 'b@example.com', firstName: 'Ada' }),
      null,
    ],
    [
      'an older value is stale where a Client key set one',
      byClient,
      unproved(1, 'm1', { firstName: 'Ada' }),
      'stale_profile_field',
    ],
    [
      'the missing proof is reported before the stale time',
      byServer,
      unproved(1, 'm1', { firstName: 'Eve', customAttributes: { plan: 'pro' } }),
      'client_key_field',
    ],
    [
      'no contact of a customUserId is accepted, even where none was set',
      emptyProfile(),
      named(1, 'm1', { email: 'evil@example.com', firstName: 'Eve' }),
      'client_key_field',
    ],
    [
      'no contact of a customUserId is cleared',
      byClient,
      named(9, 'm9', { email: null }),
      'client_key_field',
    ],
    [
      'where the application allows it, a contact is accepted by its time',
      byServer,
      named(9, 'm9', { email: 'b@example.com' }, true),
      null,
    ],
    [
      'where the application allows it, a value is stale by its time',
      byServer,
      named(1, 'm1', { firstName: 'Eve' }, true),
      'stale_profile_field',
    ],
  ])('%s', (_, profile, item, expected) => {
    expect(mergeProfile(profile, [item]).skipped).toEqual([expected]);
  });

  test('a skipped field changes nothing, and the rest of the message counts', () => {
    const sent = {
      email: 'evil@example.com',
      hashedPhoneNumber: 'h',
      firstName: 'Eve',
      city: 'Paris',
      customAttributes: { plan: 'pro', vip: true },
    };
    const { profile } = mergeProfile(byServer, [named(9, 'm9', sent)]);

    expect({ ...profile.fields }).toEqual({
      email: 'a@example.com',
      firstName: 'Ada',
      city: 'Paris',
    });
    expect({ ...profile.customAttributes }).toEqual({ plan: 'free', vip: true });
  });

  test('any value is replaced by one of a Server key or a proved device, however old', () => {
    const server = stamped(1, 'm1', {
      email: 'b@example.com',
      firstName: 'Ada',
      customAttributes: { plan: 'free' },
    });
    const proved = stampUpdate(
      {
        ...facts,
        keyType: 'client',
        isProved: true,
        registers: true,
        time: 1,
        messageId: 'm1',
        update: server.update,
      },
      {},
    );

    for (const item of [server, proved]) {
      const { profile, skipped } = mergeProfile(byClient, [item]);
      expect({ ...profile.fields, plan: profile.customAttributes['plan'] }).toEqual({
        email: 'b@example.com',
        firstName: 'Ada',
        plan: 'free',
      });
      expect(skipped).toEqual([null]);
    }
  });

  test('an anonymous visitor’s values do not replace those of the person it is merged into', () => {
    const anonymous = mergeProfile(emptyProfile(), [
      unproved(9, 'm9', { email: 'evil@example.com', firstName: 'Eve', city: 'Paris' }),
    ]).profile;

    for (const joined of [joinProfiles(byServer, anonymous), joinProfiles(anonymous, byServer)]) {
      expect(joined.fields).toEqual({ email: 'a@example.com', firstName: 'Ada', city: 'Paris' });
    }
  });

  test('an unproved value is marked in the database, one of a Server key is not', () => {
    const { clocks } = mergeProfile(emptyProfile(), [
      unproved(1, 'm1', { email: 'a', city: 'Paris', customAttributes: { plan: 'pro' } }),
      stamped(2, 'm2', { email: 'b' }),
    ]).profile;

    expect(clocks.fields).toEqual({ email: [2, 'm2'], city: [1, 'm1', 'client'] });
    expect(clocks.custom).toEqual({ plan: [1, 'm1', 'client'] });
  });
});

describe('the effective time', () => {
  const now = 1_700_000_000_000;

  test.each<[string, number | bigint, number | bigint]>([
    ['a past time is unchanged', -5, -5],
    ['ten minutes ahead is unchanged', now + 600_000, now + 600_000],
    ['one millisecond more becomes the acceptance time', now + 600_001, now],
    ['the greatest Long becomes the acceptance time', LONG_MAX, now],
    ['the smallest Long is unchanged', -LONG_MAX - 1n, -LONG_MAX - 1n],
  ])('%s', (_, time, expected) => {
    expect(effectiveTime(time, now)).toBe(expected);
  });

  test.each<[string, number | bigint, number | bigint]>([
    ['a past time is unchanged', -5, -5],
    ['the acceptance time is unchanged', now, now],
    ['one millisecond ahead becomes the acceptance time', now + 1, now],
    ['the greatest Long becomes the acceptance time', LONG_MAX, now],
  ])('of a Client key, proved or not: %s', (_, time, expected) => {
    const stamps = [true, false].map(
      (isProved) =>
        stampUpdate(
          {
            receivedAt: now,
            keyType: 'client',
            isProved,
            registers: true,
            time,
            messageId: 'm1',
            update: {},
          },
          {},
        ).stamp[0],
    );
    expect([...stamps, effectiveClientTime(time, now)]).toEqual([expected, expected, expected]);
  });
});

function stamped(time: number | bigint, id: string, value: ProfileUpdate): StampedUpdate {
  return { update: value, stamp: [time, id] };
}

/** From a Client key that names the user by customUserId, without a proof. */
function named(
  time: number,
  messageId: string,
  update: ProfileUpdate,
  clientKeysChangeContacts = false,
): StampedUpdate {
  return stampUpdate(
    { ...facts, keyType: 'client', isProved: false, registers: true, time, messageId, update },
    { clientKeysChangeContacts },
  );
}

/** From an anonymous visitor, who may set contacts. */
function unproved(time: number, messageId: string, update: ProfileUpdate): StampedUpdate {
  return stampUpdate(
    { ...facts, keyType: 'client', isProved: false, registers: false, time, messageId, update },
    {},
  );
}

/** Simulates a round trip through the database. */
function stored(profile: Profile): Profile {
  return parseExactJson(stringifyExactJson(profile)) as Profile;
}
