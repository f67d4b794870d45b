import { describe, expect, test } from '@jest/globals';
import type { KeyType, ProfileUpdate } from '@tidings/contracts';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import { effectiveTime, emptyProfile, joinProfiles, mergeProfile, type Profile, type StampedUpdate } from './profile-merge.ts';
import { stampUpdate } from './profiles.ts';

const LONG_MAX = 9223372036854775807n;

test('a profile that was read from the database is not changed by what is merged into it', () => {
  const before = stored(mergeProfile(emptyProfile(), [stamped(1, 'a', { firstName: 'Ada', customAttributes: { plan: 'free' } })]).profile);
  const text = stringifyExactJson(before);

  mergeProfile(before, [stamped(2, 'b', { firstName: null, customAttributes: null })]);
  joinProfiles(before, mergeProfile(emptyProfile(), [stamped(3, 'c', { customAttributes: { plan: 'pro' } })]).profile);

  expect(stringifyExactJson(before)).toBe(text);
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
    expect(mergeProfile(profile, [item]).left).toEqual([expected ? 'stale_profile_field' : null]);
  });
});

describe('of a Client key', () => {
  const byServer = mergeProfile(emptyProfile(), [stamped(5, 'm5', { email: 'a@example.com', phoneNumber: null, firstName: 'Ada' })]).profile;
  const byClient = mergeProfile(emptyProfile(), [keyed('client', 5, 'm5', { email: 'a@example.com' })]).profile;

  test.each<[string, Profile, StampedUpdate, string | null]>([
    ['a newer address is left where a Server key has set one', byServer, keyed('client', 9, 'm9', { email: 'evil@example.com' }), 'client_key_field'],
    ['a newer number is left where a Server key has cleared it', byServer, keyed('client', 9, 'm9', { phoneNumber: '+1' }), 'client_key_field'],
    ['clearing is left as well', byServer, keyed('client', 9, 'm9', { email: null }), 'client_key_field'],
    ['an address is taken where nobody has set one', emptyProfile(), keyed('client', 1, 'm1', { email: 'b@example.com' }), null],
    ['a hash is taken beside the address of a Server key', byServer, keyed('client', 1, 'm1', { hashedEmail: 'x' }), null],
    ['a newer address is taken where a Client key has set one', byClient, keyed('client', 9, 'm9', { email: 'b@example.com' }), null],
    ['an older address is stale where a Client key has set one', byClient, keyed('client', 1, 'm1', { email: 'b@example.com' }), 'stale_profile_field'],
    ['other fields are taken by their time', byServer, keyed('client', 9, 'm9', { firstName: 'Eve' }), null],
    ['other fields are stale by their time', byServer, keyed('client', 1, 'm1', { firstName: 'Eve' }), 'stale_profile_field'],
    ['the key is told before the time', byServer, keyed('client', 1, 'm1', { email: 'b@example.com', firstName: 'Eve', customAttributes: { a: 1 } }), 'client_key_field'],
    ['where the application opens it, an address is taken by its time', byServer, keyed('client', 9, 'm9', { email: 'b@example.com' }, true), null],
    ['where the application opens it, an address is stale by its time', byServer, keyed('client', 1, 'm1', { email: 'b@example.com' }, true), 'stale_profile_field'],
  ])('%s', (_, profile, item, expected) => {
    expect(mergeProfile(profile, [item]).left).toEqual([expected]);
  });

  test('an address gives way to that of a Server key, however old', () => {
    const { profile, left } = mergeProfile(byClient, [stamped(1, 'm1', { email: 'b@example.com' })]);

    expect(profile.fields['email']).toBe('b@example.com');
    expect(left).toEqual([null]);
  });

  test('an address of an anonymous user does not replace that of the person it turns out to be', () => {
    const anonymous = mergeProfile(emptyProfile(), [keyed('client', 9, 'm9', { email: 'evil@example.com', city: 'Paris' })]).profile;

    for (const joined of [joinProfiles(byServer, anonymous), joinProfiles(anonymous, byServer)]) expect(joined.fields).toEqual({ email: 'a@example.com', firstName: 'Ada', city: 'Paris' });
  });

  test('a value says so in the database, one of a Server key and of any other field does not', () => {
    const { clocks } = mergeProfile(emptyProfile(), [keyed('client', 1, 'm1', { email: 'a', phoneNumber: '1', city: 'Paris' }), stamped(2, 'm2', { email: 'b' })]).profile;

    expect(clocks.fields).toEqual({ email: [2, 'm2'], phoneNumber: [1, 'm1', 'client'], city: [1, 'm1'] });
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

function keyed(keyType: KeyType, time: number, messageId: string, update: ProfileUpdate, clientKeysChangeContacts = false): StampedUpdate {
  return stampUpdate({ keyType, time, messageId, update, receivedAt: 1_700_000_000_000 }, { clientKeysChangeContacts });
}

/** As it comes back from the database. */
function stored(profile: Profile): Profile {
  return parseExactJson(stringifyExactJson(profile)) as Profile;
}
