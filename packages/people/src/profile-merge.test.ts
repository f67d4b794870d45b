import { describe, expect, test } from '@jest/globals';
import type { ProfileUpdate } from '@tidings/contracts';
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

test('a profile that was read from the database is not changed by what is merged into it', () => {
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
      'when a field of it has a newer value',
      standing,
      stamped(4, 'm4', { email: 'b@example.com' }),
      true,
    ],
    [
      'when a custom attribute of it has a newer value',
      standing,
      stamped(4, 'm4', { customAttributes: { plan: 'pro' } }),
      true,
    ],
    [
      'when all custom attributes were cleared since',
      cleared,
      stamped(4, 'm4', { customAttributes: { plan: 'pro' } }),
      true,
    ],
    [
      'when it clears what was cleared since',
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
    ['not when its fields are other ones', standing, stamped(4, 'm4', { firstName: 'Ada' }), false],
    ['not when it is newer', standing, stamped(6, 'm6', { email: null }), false],
    [
      'not when its time is the same and its id greater',
      standing,
      stamped(5, 'm6', { email: null }),
      false,
    ],
    [
      'when its time is the same and its id smaller',
      standing,
      stamped(5, 'm4', { email: null }),
      true,
    ],
    [
      'not when it is the very update that stands',
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

describe('of a Client key without a proof', () => {
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
      'a newer value is left where a Server key has set one',
      byServer,
      unproved(9, 'm9', { firstName: 'Eve' }),
      'client_key_field',
    ],
    [
      'a newer value is left where a Server key has cleared it',
      byServer,
      unproved(9, 'm9', { phoneNumber: '+1' }),
      'client_key_field',
    ],
    [
      'clearing is left as well',
      byServer,
      unproved(9, 'm9', { firstName: null }),
      'client_key_field',
    ],
    [
      'a newer custom attribute is left',
      byServer,
      unproved(9, 'm9', { customAttributes: { plan: 'enterprise' } }),
      'client_key_field',
    ],
    [
      'a custom attribute is left where a Server key has cleared all',
      clearedByServer,
      unproved(9, 'm9', { customAttributes: { plan: 'pro' } }),
      'client_key_field',
    ],
    [
      'clearing all custom attributes is left where a Server key has cleared all',
      clearedByServer,
      unproved(9, 'm9', { customAttributes: null }),
      'client_key_field',
    ],
    [
      'a value is taken where nothing was set',
      emptyProfile(),
      unproved(1, 'm1', {
        email: 'b@example.com',
        firstName: 'Eve',
        customAttributes: { vip: true },
      }),
      null,
    ],
    [
      'a field is taken beside those of a Server key',
      byServer,
      unproved(1, 'm1', { city: 'Paris', customAttributes: { vip: true } }),
      null,
    ],
    [
      'a newer value is taken where a Client key has set one',
      byClient,
      unproved(9, 'm9', { email: 'b@example.com', firstName: 'Ada' }),
      null,
    ],
    [
      'an older value is stale where a Client key has set one',
      byClient,
      unproved(1, 'm1', { firstName: 'Ada' }),
      'stale_profile_field',
    ],
    [
      'the proof is told before the time',
      byServer,
      unproved(1, 'm1', { firstName: 'Eve', customAttributes: { plan: 'pro' } }),
      'client_key_field',
    ],
    [
      'no contact of a customUserId is taken, even where nothing was set',
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
      'where the application opens it, a contact is taken by its time',
      byServer,
      named(9, 'm9', { email: 'b@example.com' }, true),
      null,
    ],
    [
      'where the application opens it, a value is stale by its time',
      byServer,
      named(1, 'm1', { firstName: 'Eve' }, true),
      'stale_profile_field',
    ],
  ])('%s', (_, profile, item, expected) => {
    expect(mergeProfile(profile, [item]).skipped).toEqual([expected]);
  });

  test('what is left changes nothing, and the rest of the message counts', () => {
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

  test('any value gives way to that of a Server key and of a proved device, however old', () => {
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

  test('an anonymous visitor’s values do not replace those of the person that the visitor turns out to be', () => {
    const anonymous = mergeProfile(emptyProfile(), [
      unproved(9, 'm9', { email: 'evil@example.com', firstName: 'Eve', city: 'Paris' }),
    ]).profile;

    for (const joined of [joinProfiles(byServer, anonymous), joinProfiles(anonymous, byServer)]) {
      expect(joined.fields).toEqual({ email: 'a@example.com', firstName: 'Ada', city: 'Paris' });
    }
  });

  test('a value says so in the database, one of a Server key does not', () => {
    const { clocks } = mergeProfile(emptyProfile(), [
      unproved(1, 'm1', { email: 'a', city: 'Paris', customAttributes: { plan: 'pro' } }),
      stamped(2, 'm2', { email: 'b' }),
    ]).profile;

    expect(clocks.fields).toEqual({ email: [2, 'm2'], city: [1, 'm1', 'client'] });
    expect(clocks.custom).toEqual({ plan: [1, 'm1', 'client'] });
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

  test.each<[string, number | bigint, number | bigint]>([
    ['a past time counts as it is', -5, -5],
    ['the acceptance counts as it is', now, now],
    ['a millisecond ahead counts as the acceptance', now + 1, now],
    ['the last Long counts as the acceptance', LONG_MAX, now],
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

/** Of a Client key that names the user by customUserId, without a proof. */
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

/** Of an anonymous visitor, who may set contacts. */
function unproved(time: number, messageId: string, update: ProfileUpdate): StampedUpdate {
  return stampUpdate(
    { ...facts, keyType: 'client', isProved: false, registers: false, time, messageId, update },
    {},
  );
}

/** As it comes back from the database. */
function stored(profile: Profile): Profile {
  return parseExactJson(stringifyExactJson(profile)) as Profile;
}
