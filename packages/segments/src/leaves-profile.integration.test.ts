import { afterAll, describe, expect, test } from '@jest/globals';
import { connectTestDatabase } from '@tidings/testing';
import { DAY, NOW, event, createLeafCases, type Sketch } from './testing/leaf-cases.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { membersOf, check } = createLeafCases(db);

describe('profile values never convert', () => {
  const of = (value: unknown): Sketch => ({ customAttributes: { a: value } });
  check([
    [
      'a text is no number',
      { attribute: 'a', is: 5 },
      { number: of(5), text: of('5'), none: {} },
      ['number'],
    ],
    [
      'a number is no text',
      { attribute: 'a', is: '5' },
      { number: of(5), text: of('5'), none: {} },
      ['text'],
    ],
    [
      'isNot is true without a text',
      { attribute: 'a', isNot: '5' },
      { number: of(5), text: of('5'), null: of(null), none: {} },
      ['none', 'null', 'number'],
    ],
    [
      'a list of texts has no numbers in it',
      { attribute: 'a', notIn: ['5', 'true'] },
      { number: of(5), text: of('5'), yes: of(true), none: {} },
      ['none', 'number', 'yes'],
    ],
    [
      'isNot is true without a value',
      { attribute: 'a', isNot: 5 },
      { number: of(5), text: of('5'), none: {} },
      ['none', 'text'],
    ],
    [
      'numbers are equal by value',
      { attribute: 'a', in: [5.0, true] },
      { five: of(5), yes: of(true), one: of(1), text: of('true') },
      ['five', 'yes'],
    ],
    [
      'a long is compared by all digits',
      { attribute: 'a', gt: 9_007_199_254_740_992 },
      { more: of(9_007_199_254_740_993n), same: of(9_007_199_254_740_992) },
      ['more'],
    ],
    [
      'bounds',
      { attribute: 'a', gte: 1, lt: 2 },
      { below: of(0.99), least: of(1), most: of(1.99), above: of(2), text: of('1') },
      ['least', 'most'],
    ],
    [
      'letters have their case',
      { attribute: 'a', startsWith: 'pro' },
      { lower: of('profile'), upper: of('Profile'), list: of({ b: 'pro' }) },
      ['lower'],
    ],
    [
      'a wildcard is a letter',
      { attribute: 'a', contains: '%' },
      { percent: of('5%'), other: of('5') },
      ['percent'],
    ],
    [
      'an object exists',
      { attribute: 'a', exists: true },
      { object: of({}), no: of(false), none: {} },
      ['no', 'object'],
    ],
    [
      'a dot is part of a key',
      { attribute: 'a.b', exists: true },
      { key: { customAttributes: { 'a.b': 1 } }, path: of({ b: 1 }) },
      ['key'],
    ],
    [
      'a path leads through objects',
      { attribute: ['a', 'b'], is: 1 },
      { key: { customAttributes: { 'a.b': 1 } }, path: of({ b: 1 }), null: of({ b: null }) },
      ['path'],
    ],
    [
      'an item of a list has no name',
      { attribute: ['a', 'b', '0'], exists: true },
      { list: of({ b: [1] }), object: of({ b: { 0: 1 } }) },
      ['object'],
    ],
    [
      'null is no value',
      { attribute: ['a', 'b'], exists: false },
      { null: of({ b: null }), value: of({ b: 0 }) },
      ['null'],
    ],
  ]);
});

describe('dates', () => {
  const of = (value: unknown): Sketch => ({ customAttributes: { a: value } });
  const iso = (at: number) => of(new Date(at).toISOString());
  check([
    [
      'before and after exclude the instant',
      { attribute: 'a', before: { ago: '1d' }, after: { ago: '2d' } },
      {
        from: iso(NOW - 2 * DAY),
        early: iso(NOW - 2 * DAY + 1),
        late: iso(NOW - DAY - 1),
        to: iso(NOW - DAY),
      },
      ['early', 'late'],
    ],
    [
      'ahead',
      { attribute: 'a', after: { ahead: '1d' } },
      { at: iso(NOW + DAY), later: iso(NOW + DAY + 1) },
      ['later'],
    ],
    [
      'only real instants of the one form are dates',
      { attribute: 'a', after: 0 },
      {
        real: of('2026-02-28T00:00:00.000Z'),
        unreal: of('2026-02-30T00:00:00.000Z'),
        day: of('2026-02-28'),
        zone: of('2026-02-28T00:00:00.000+01:00'),
        hour: of('2026-02-28T24:00:00.000Z'),
        number: of(1e12),
      },
      ['real'],
    ],
    [
      'an instant beyond all dates',
      { attribute: 'a', before: 8.64e15 },
      { date: of('9999-12-31T23:59:59.999Z') },
      ['date'],
    ],
    [
      'a birthday is a number',
      { field: 'birthday', before: -DAY },
      { old: { fields: { birthday: -DAY - 1 } }, same: { fields: { birthday: -DAY } }, none: {} },
      ['old'],
    ],
    [
      'registeredAt',
      { field: 'registeredAt', after: { ago: '1d' } },
      { at: { registeredAt: NOW - DAY }, later: { registeredAt: NOW - DAY + 1 } },
      ['later'],
    ],
  ]);
});

describe('users', () => {
  check([
    [
      'only registered ones are members',
      { field: 'country', isNot: 'DE' },
      { ada: {}, held: { registeredAt: null } },
      ['ada'],
    ],
    [
      'text fields',
      { field: 'country', in: ['DE', 'AT'] },
      { de: { fields: { country: 'DE' } }, lower: { fields: { country: 'de' } }, none: {} },
      ['de'],
    ],
    [
      'proved values of a field',
      { field: 'country', is: 'DE', proved: true },
      {
        proved: {
          fields: { country: 'DE' },
          clocks: { fields: { country: [1, 'm'] }, custom: {} },
        },
        public: {
          fields: { country: 'DE' },
          clocks: { fields: { country: [1, 'm', 'client'] }, custom: {} },
        },
      },
      ['proved'],
    ],
    [
      'proved values of an attribute',
      { attribute: ['a', 'b'], is: 1, proved: true },
      {
        proved: { customAttributes: { a: { b: 1 } } },
        public: {
          customAttributes: { a: { b: 1 } },
          clocks: { fields: {}, custom: { a: [1, 'm', 'client'] } },
        },
      },
      ['proved'],
    ],
    [
      'segments',
      { not: { segment: 'outer' } },
      {
        pro: { customAttributes: { plan: 'pro' } },
        german: { fields: { country: 'DE' } },
        other: {},
        active: { customAttributes: { plan: 'pro' }, events: [event('login', NOW - DAY)] },
      },
      ['active', 'other'],
    ],
  ]);

  test('the time zone is the attribute, else that of the last proved device, else the application’s', async () => {
    const device = (timeZone: string, seenAt: number, isProof = true) =>
      ({ kind: 'none', hasAddress: false, timeZone, seenAt, isProof }) as const;
    const users = {
      attribute: { customAttributes: { timeZone: 'UTC' }, devices: [device('Europe/Berlin', NOW)] },
      device: {
        customAttributes: { timeZone: 5 },
        devices: [device('Europe/Rome', 1), device('UTC', 2)],
      },
      other: { devices: [device('UTC', 2, false)] },
    };

    expect(await membersOf({ field: 'timeZone', is: 'UTC' }, users)).toEqual([
      'attribute',
      'device',
      'other',
    ]);
    expect(
      await membersOf({ field: 'timeZone', is: 'UTC' }, users, { timeZone: 'Asia/Tokyo' }),
    ).toEqual(['attribute', 'device']);
  });
});
