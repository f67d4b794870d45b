import { expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import type { ConditionContext } from './condition-context.ts';
import { readCondition } from './read-condition.ts';
import { DEFINITIONS } from './testing/create-population.ts';

const campaignId = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';
const context: ConditionContext = {
  applicationId: campaignId,
  definitions: DEFINITIONS,
  segments: new Map([['vip', { attribute: 'plan', is: 'pro' }]]),
  funnels: new Map(),
  eventRetentionDays: null,
  deliveryRetentionDays: null,
};
const plan = { attribute: 'plan', is: 'pro' };
const attribute = (rest: object) => ({ attribute: 'plan', ...rest });
const event = (rest: object) => ({ event: 'viewd', ...rest });
const order = (rest: object) => ({ event: 'order', ...rest });
const message = (rest: object) => ({ message: { campaignId }, was: 'sent', ...rest });
const long = 'x'.repeat(LIMITS.conditionTextCharsMax + 1);
const INSTANT = 8_640_000_000_000_000;

/** Faults that `read-condition.test.ts` does not have: each keyword of the schema at each place. */
test.each<[what: string, value: unknown, ...faults: string[]]>([
  // Groups
  ['any of no list', { any: plan }, '/any wrong_type'],
  ['any of too many', { any: Array.from({ length: 51 }, () => plan) }, '/any too_many'],
  ['all with null', { all: [null] }, '/all/0 wrong_type'],
  ['all with text', { all: ['vip'] }, '/all/0 wrong_type'],
  ['all beside a key', { all: [plan], weight: 1 }, '/weight invalid_value'],
  ['any beside a key', { any: [plan], weight: 1 }, '/weight invalid_value'],
  ['not beside a key', { not: plan, weight: 1 }, '/weight invalid_value'],
  ['not of null', { not: null }, '/not wrong_type'],
  ['not of text', { not: 'vip' }, '/not wrong_type'],
  ['a version as text', { version: '1', ...plan }, '/version invalid_value'],
  ['a version of null', { version: null, ...plan }, '/version invalid_value'],
  // Fields and attributes
  ['a field that is a number', { field: 5, is: 'x' }, '/field wrong_type'],
  ['a field in capitals', { field: 'COUNTRY', is: 'DE' }, '/field invalid_value'],
  ['a field beside a key', { field: 'city', is: 'Ulm', weight: 1 }, '/weight invalid_value'],
  [
    'a field with proved as text',
    { field: 'city', is: 'Ulm', proved: 'yes' },
    '/proved wrong_type',
  ],
  [
    'a proof of the time zone',
    { field: 'timeZone', is: 'UTC', proved: true },
    '/proved invalid_value',
  ],
  ['an attribute that is a number', { attribute: 5, is: 1 }, '/attribute wrong_type'],
  ['an attribute that is an object', { attribute: {}, is: 1 }, '/attribute wrong_type'],
  ['an attribute with U+0000', { attribute: 'a\0b', is: 1 }, '/attribute invalid_value'],
  [
    'an attribute with half a character',
    { attribute: '\ud800', is: 1 },
    '/attribute invalid_value',
  ],
  ['a path with a long step', { attribute: ['a', long], is: 1 }, '/attribute/1 too_long'],
  ['a path with U+0000', { attribute: ['a', '\0'], is: 1 }, '/attribute/1 invalid_value'],
  ['an attribute with proved as a number', attribute({ is: 1, proved: 1 }), '/proved wrong_type'],
  // Comparisons
  ['isNot of null', attribute({ isNot: null }), '/isNot wrong_type'],
  ['isNot of a list', attribute({ isNot: ['a'] }), '/isNot wrong_type'],
  ['isNot of a long text', attribute({ isNot: long }), '/isNot too_long'],
  ['notIn of text', attribute({ notIn: 'pro' }), '/notIn wrong_type'],
  ['notIn of nothing', attribute({ notIn: [] }), '/notIn empty'],
  ['notIn with an object', attribute({ notIn: [{}] }), '/notIn/0 wrong_type'],
  ['in with a long text', attribute({ in: ['a', long] }), '/in/1 too_long'],
  ['in with U+0000', attribute({ in: ['\0'] }), '/in/0 invalid_value'],
  ['exists of null', attribute({ exists: null }), '/exists wrong_type'],
  ['exists of 1', attribute({ exists: 1 }), '/exists wrong_type'],
  ['contains of a number', attribute({ contains: 5 }), '/contains wrong_type'],
  ['contains of a long text', attribute({ contains: long }), '/contains too_long'],
  ['contains with U+0000', attribute({ contains: '\0' }), '/contains invalid_value'],
  ['startsWith of nothing', attribute({ startsWith: '' }), '/startsWith empty'],
  ['startsWith of a long text', attribute({ startsWith: long }), '/startsWith too_long'],
  ['gte of text', attribute({ gte: '5' }), '/gte wrong_type'],
  ['lt of true', attribute({ lt: true }), '/lt wrong_type'],
  ['lte of null', attribute({ lte: null }), '/lte wrong_type'],
  ['gt of an object', attribute({ gt: {} }), '/gt wrong_type'],
  ['after of text', attribute({ after: 'now' }), '/after wrong_type'],
  ['after of null', attribute({ after: null }), '/after wrong_type'],
  ['after out of range', attribute({ after: -INSTANT - 1 }), '/after out_of_range'],
  [
    'before with two durations',
    attribute({ before: { ago: '1d', ahead: '1d' } }),
    '/before too_many',
  ],
  ['before with another key', attribute({ before: { in: '1d' } }), '/before/in invalid_value'],
  ['ahead of a number', attribute({ before: { ahead: 5 } }), '/before/ahead wrong_type'],
  ['ahead without a unit', attribute({ before: { ahead: '5' } }), '/before/ahead invalid_value'],
  ['ahead of too long', attribute({ before: { ahead: '3651d' } }), '/before/ahead out_of_range'],
  ['ago below zero', attribute({ after: { ago: '-1d' } }), '/after/ago invalid_value'],
  // Events
  ['an event of null', { event: null }, '/event wrong_type'],
  ['an empty event', { event: '' }, '/event empty'],
  ['an event of 65 characters', { event: 'e'.repeat(65) }, '/event too_long'],
  ['an event without a kind', { event: { name: 'x' } }, '/event/kind required'],
  ['a name that is empty', { event: { kind: 'action', name: '' } }, '/event/name empty'],
  [
    'a name of 257 characters',
    { event: { kind: 'action', name: 'n'.repeat(257) } },
    '/event/name too_long',
  ],
  ['a name that is a number', { event: { kind: 'action', name: 5 } }, '/event/name wrong_type'],
  [
    'a key beside the name',
    { event: { kind: 'action', name: 'x', slug: 'x' } },
    '/event/slug invalid_value',
  ],
  ['an event beside a key', event({ last: true }), '/last invalid_value'],
  ['within as a number', event({ within: 30 }), '/within wrong_type'],
  ['within as an object', event({ within: { days: 30 } }), '/within wrong_type'],
  ['within of half a day', event({ within: '0.5d' }), '/within invalid_value'],
  ['from as text', event({ from: '2026-01-01' }), '/from wrong_type'],
  ['from of half a millisecond', event({ from: 0.5 }), '/from wrong_type'],
  ['from out of range', event({ from: -INSTANT - 1 }), '/from out_of_range'],
  ['to as an object', event({ to: { ago: '1d' } }), '/to wrong_type'],
  ['to out of range', event({ to: INSTANT + 1 }), '/to out_of_range'],
  ['where as an object', event({ where: plan }), '/where wrong_type'],
  [
    'where of too many',
    event({ where: Array.from({ length: 51 }, () => plan) }),
    '/where too_many',
  ],
  ['where with text', event({ where: ['price'] }), '/where/0 wrong_type'],
  [
    'where with two comparisons',
    event({ where: [{ ...plan, exists: true }] }),
    '/where/0 exactly_one_of',
  ],
  [
    'where with proved',
    event({ where: [{ ...plan, proved: true }] }),
    '/where/0/proved invalid_value',
  ],
  [
    'where with a long duration',
    event({ where: [{ attribute: 'a', after: { ago: '522w' } }] }),
    '/where/0/after/ago out_of_range',
  ],
  ['a count of text', event({ count: { gte: '3' } }), '/count/gte wrong_type'],
  ['a count of null', event({ count: null }), '/count wrong_type'],
  ['a sum as a number', order({ sum: 5, currency: 'EUR' }), '/sum wrong_type'],
  ['a sum without bounds', order({ sum: {}, currency: 'EUR' }), '/sum empty'],
  ['a sum of text', order({ sum: { lt: '5' }, currency: 'EUR' }), '/sum/lt wrong_type'],
  [
    'a sum with another key',
    order({ sum: { gt: 5, of: 'x' }, currency: 'EUR' }),
    '/sum/of invalid_value',
  ],
  ['a currency of null', order({ currency: null }), '/currency wrong_type'],
  ['followed by text', event({ followedBy: 'order' }), '/followedBy wrong_type'],
  ['never followed by text', event({ neverFollowedBy: 'order' }), '/neverFollowedBy wrong_type'],
  [
    'never followed by an unknown event, within a number',
    event({ neverFollowedBy: { event: 'nosuch', in: 5 } }),
    '/neverFollowedBy/in wrong_type',
  ],
  ['not followed by nothing', event({ notFollowedBy: {} }), '/notFollowedBy/event required'],
  [
    'not followed by an unknown event',
    event({ notFollowedBy: { event: 'nosuch' } }),
    '/notFollowedBy/event invalid_value',
  ],
  [
    'followed with a fault in where',
    event({ followedBy: { event: 'viewd', where: [{}] } }),
    '/followedBy/where/0/attribute required',
  ],
  [
    'followed by revenue with where',
    event({ followedBy: { event: 'order', where: [plan] } }),
    '/followedBy/where invalid_value',
  ],
  [
    'followed in a number',
    event({ followedBy: { event: 'order', in: 5 } }),
    '/followedBy/in wrong_type',
  ],
  ['proved as null', event({ proved: null }), '/proved wrong_type'],
  // Segments, reachability, messages
  ['a segment that is a number', { segment: 5 }, '/segment wrong_type'],
  ['an empty segment', { segment: '' }, '/segment invalid_value'],
  ['a slug of 65 characters', { segment: 's'.repeat(65) }, '/segment invalid_value'],
  ['a slug with a line break', { segment: 'vip\n' }, '/segment invalid_value'],
  ['a channel that is a number', { reachable: 5 }, '/reachable wrong_type'],
  ['a channel in small letters', { reachable: 'email' }, '/reachable invalid_value'],
  ['a purpose of null', { reachable: 'EMAIL', purpose: null }, '/purpose wrong_type'],
  ['reachable beside a key', { reachable: 'EMAIL', within: '1d' }, '/within invalid_value'],
  ['a message as text', { message: campaignId, was: 'sent' }, '/message wrong_type'],
  [
    'a message of a number',
    message({ message: { campaignId: 5 } }),
    '/message/campaignId wrong_type',
  ],
  [
    'a message with another key',
    message({ message: { campaignId, node: 'x' } }),
    '/message/node invalid_value',
  ],
  ['a milestone that is true', message({ was: true }), '/was wrong_type'],
  ['a message beside a key', message({ sum: { gte: 1 } }), '/sum invalid_value'],
  [
    'a tag of messages that is a list',
    message({ message: { tag: ['x'] } }),
    '/message/tag wrong_type',
  ],
  [
    'a tag of messages that is too long',
    message({ message: { tag: 'x'.repeat(51) } }),
    '/message/tag too_long',
  ],
  [
    'a channel of messages in small letters',
    message({ message: { channel: 'email' } }),
    '/message/channel invalid_value',
  ],
  [
    'a purpose of messages that is a number',
    message({ message: { purpose: 5 } }),
    '/message/purpose wrong_type',
  ],
  ['a count of messages that is a number', message({ message: {}, count: 2 }), '/count wrong_type'],
  ['a message in too long', message({ within: '3651d' }), '/within out_of_range'],
  ['a message until before', message({ from: 5, to: 4 }), '/to out_of_range'],
  // Names that every object of JavaScript has
  ['a key __proto__', JSON.parse('{"__proto__":{"all":[]}}'), ' exactly_one_of'],
  [
    'a key __proto__ beside',
    JSON.parse('{"segment":"vip","__proto__":1}'),
    '/__proto__ invalid_value',
  ],
  ['a field __proto__', { field: '__proto__', exists: true }, '/field invalid_value'],
  ['an event __proto__', { event: '__proto__' }, '/event invalid_value'],
  ['an event constructor', { event: 'constructor' }, '/event invalid_value'],
  ['a segment constructor', { segment: 'constructor' }, '/segment invalid_value'],
  ['a channel toString', { reachable: 'toString' }, '/reachable invalid_value'],
  ['an operator toString', attribute({ toString: 'x' }), '/toString invalid_value'],
])('%s', (_what, value, ...faults) => {
  const read = readCondition(value, context);

  const errors = read.ok ? [] : read.errors;
  expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults);
  expect(errors.filter(({ expected }) => expected === undefined)).toEqual([]);
});
