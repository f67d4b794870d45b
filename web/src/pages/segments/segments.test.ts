import { describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { LEAF_DESCRIPTORS, LEAF_KINDS } from '@tidings/contracts/segments/leaves/descriptors';
import type { Comparison } from '@tidings/contracts/segments/leaves/parts';
import { ofAttribute, suggestionsOf, withAttribute } from '../../conditions/attribute-condition.ts';
import { toPartCounts } from '../../conditions/builder-context.ts';
import {
  operandFor,
  OPERATORS,
  readComparison,
  withComparison,
} from '../../conditions/comparison.ts';
import { durationText, splitDuration } from '../../conditions/duration.ts';
import { isComplete, unnamedLabel } from '../../conditions/new-condition.ts';
import { readJson } from '../../conditions/read-json.ts';
import { summarize } from '../../conditions/describe-condition.ts';
import { listParts } from './explained-parts.ts';
import { toSegmentFacts } from './segment-facts.ts';
import { attributeOptions } from '../../conditions/use-suggestions.ts';
import { freeSlug, randomSlug, toSlug } from '../../ui/to-slug.ts';

describe('builder/comparison', () => {
  test.each<Comparison>([
    { is: '5' },
    { isNot: false },
    { in: ['a', 1] },
    { contains: 'x' },
    { gte: 0 },
    { before: { ago: '3d' } },
    { exists: true },
    { exists: false },
  ])('%j is read and written back, beside the other keys', (comparison) => {
    const node = { attribute: 'plan', ...comparison };
    const compared = readComparison(node);

    expect(compared === null ? null : withComparison(node, compared)).toEqual(node);
  });

  test('two bounds, and none, are not shown', () => {
    expect(readComparison({ gt: 1, lt: 2 })).toBeNull();
    expect(readComparison({})).toBeNull();
  });

  test.each(OPERATORS)('%s has an operand after any other', (operator) => {
    for (const before of ['a', 5, true, ['a'], [], { ago: '1d' }, 1_795_256_516_534]) {
      const node = withComparison({}, { operator, operand: operandFor(operator, before) });
      expect(readComparison(node)?.operator).toBe(operator);
    }
  });

  test('a value stays when its operator changes to a list and back', () => {
    expect(operandFor('in', 'DE')).toEqual(['DE']);
    expect(operandFor('is', ['DE', 'AT'])).toBe('DE');
    expect(operandFor('gt', 'DE')).toBe(0);
  });
});

describe('builder/read-json', () => {
  test.each([
    ['', /^Not valid JSON/],
    ['[]', /^A condition is an object\.$/],
    ['{}', /^A condition has one of the keys all, any, not, /],
    ['{"all": [{"reachable": "SMS"}, {}]}', /^A condition has one of the keys/],
    ['{"not": 5}', /^A condition is an object\.$/],
    ['{"any": {}}', /^"any" is a list of conditions\.$/],
    ['{"event": "paid", "where": 5}', /^A part of the condition "event" has another type/],
    [`${'{"not": '.repeat(60)}{}${'}'.repeat(60)}`, /^More than 50 conditions/],
  ])('%s is no condition', (text, error) => {
    expect(readJson(text)).toEqual({ error: expect.stringMatching(error) });
  });

  test('what the service judges is read', () => {
    const condition = {
      all: [
        { attribute: ['a', 'b'], gt: 1, lt: 5 },
        { event: 'nosuch', x: 1 },
      ],
    };

    expect(readJson(JSON.stringify(condition))).toEqual({ value: condition });
  });
});

describe('builder/new-condition', () => {
  test('what is added must be filled in, except what has defaults', () => {
    const complete = LEAF_KINDS.filter((kind) => isComplete(LEAF_DESCRIPTORS[kind].initial));

    expect(complete).toEqual(LEAF_KINDS.filter((kind) => LEAF_DESCRIPTORS[kind].names === null));
    expect(complete).toEqual(expect.arrayContaining(['field', 'reachable']));
  });

  test.each([
    [{ attribute: 'plan', is: '' }, true],
    [{ attribute: 'plan', in: [] }, false],
    [{ attribute: 'plan', gt: Number.NaN }, false],
    [{ all: [{ not: { segment: '' } }] }, false],
    [{ event: 'x', notFollowedBy: { event: '' } }, false],
    [{ event: 'x', notFollowedBy: { event: 'y' } }, true],
  ])('%j', (condition, expected) => {
    expect(isComplete(condition)).toBe(expected);
  });
});

test.each([
  ['30d', '30', 'd', '30 days'],
  ['1h', '1', 'h', '1 hour'],
  ['w', '', 'w', ' weeks'],
])('builder/duration: %s', (duration, count, unit, text) => {
  expect(splitDuration(duration)).toEqual({ count, unit });
  expect(durationText(duration)).toBe(text);
});

test.each([
  ['Loyal customers', 'loyal-customers'],
  ['  Größe XL, Zürich! ', 'gro-e-xl-zurich'],
  ['کاربران', 'other'],
  ['לקוחות', 'other'],
  ['Клиенты', 'other'],
  ['顧客', 'other'],
  ['عملاء 2026', '2026'],
  [' ', ''],
  ['', ''],
  ['x'.repeat(80), 'x'.repeat(64)],
  [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
])('to-slug: %s', (name, slug) => {
  expect(toSlug(name, 'other')).toBe(slug);
});

test('to-slug: a taken slug gets a number, within its length', () => {
  const long = 'x'.repeat(64);

  expect(freeSlug('vip', new Set())).toBe('vip');
  expect(freeSlug('vip', new Set(['vip', 'vip-2']))).toBe('vip-3');
  expect(freeSlug(long, new Set([long]))).toBe(`${'x'.repeat(60)}-2`);
  expect(freeSlug('', new Set(['a']))).toBe('');
});

test('to-slug: names without Latin letters get slugs of their own', () => {
  const slugs = Array.from({ length: 50 }, () => randomSlug('segment'));

  for (const slug of slugs) expect(slug).toMatch(/^segment-[a-z2-9]{4}$/);
  expect(new Set(slugs).size).toBeGreaterThan(40);
});

const facts = toSegmentFacts({
  definitions: [
    { slug: 'qwert', name: 'cart_filled', kind: 'action' },
    { slug: 'asdfg', name: 'nightly_run', kind: 'businessEvent' },
    { slug: 'zxcvb', name: 'old_name', kind: 'action', mergedInto: 'qwert' },
  ],
  funnels: [
    {
      slug: 'buying',
      name: 'Buying',
      steps: [{ event: 'qwert' }, { event: { kind: 'action', name: 'paid' } }],
    },
  ],
  segments: [
    {
      slug: 'vip',
      name: 'VIP',
      condition: { not: { field: 'country', is: 'DE' } },
      version: 1,
      createdAt: 1,
      updatedAt: 1,
      updatedBy: 'token:x',
      lastCount: null,
      usedBy: [],
    },
  ],
  except: 'vip',
});

test('segment-facts: conditions cannot name business events, merged definitions or themselves', () => {
  expect(facts.events).toEqual([{ value: 'qwert', label: 'cart_filled' }]);
  expect(facts.segments).toEqual([]);
  expect(facts.names.events.get('zxcvb')).toBe('old_name');
});

test('segment-facts: funnels have the names of their steps', () => {
  expect(facts.funnels).toEqual([
    { value: 'buying', label: 'Buying', steps: ['cart_filled', 'paid'] },
  ]);
});

describe('describe-condition', () => {
  test.each<[Condition, string]>([
    [{ field: 'country', in: ['DE', 'AT'] }, 'Country is one of DE, AT'],
    [{ attribute: 'a.b', is: '' }, 'a.b is empty text'],
    [{ attribute: 'a', contains: '' }, 'a contains …'],
    [{ attribute: 'a', gt: Number.NaN }, 'a is more than …'],
    [{ attribute: 'a', in: [] }, 'a is one of …'],
    [
      { event: 'qwert', where: [{ attribute: '', is: 'x' }], followedBy: { event: '' } },
      '“cart_filled” at least 1 time where … is x, followed by “…”',
    ],
    [{ attribute: 'שם', is: 'ערך' }, '\u2068שם\u2069 is \u2068ערך\u2069'],
    [{ attribute: ['a', 'b'], gte: 1, lt: 2 }, 'a › b is at least 1 and is less than 2'],
    [{ attribute: 'x', exists: false }, 'x has no value'],
    [{ attribute: 'x', in: [1, 2, 3, 4, 5, 6, 7] }, 'x is one of 1, 2, 3, 4, 5 and 2 more'],
    [{ attribute: 'x', before: { ago: '1d' } }, 'x is before 1 day ago'],
    [{ event: 'qwert' }, '“cart_filled” at least 1 time'],
    [
      {
        event: 'qwert',
        count: { gte: 2, lte: 2 },
        within: '7d',
        where: [{ attribute: 'p', gt: 5 }],
      },
      '“cart_filled” exactly 2 times where p is more than 5 in the last 7 days',
    ],
    [
      { event: { kind: 'revenue', name: 'order' }, sum: { gt: 200 }, currency: 'EUR' },
      '“order” at least 1 time with revenue more than 200 EUR',
    ],
    [
      { event: 'qwert', notFollowedBy: { event: 'nosuch', in: '1h' } },
      '“cart_filled” at least 1 time, each without “nosuch” within 1 hour after it',
    ],
    [
      { event: 'qwert', within: '30d', neverFollowedBy: { event: 'nosuch', in: '7d' } },
      '“cart_filled” at least 1 time in the last 30 days, and never “nosuch” within 7 days after any of them',
    ],
    [
      { event: 'qwert', neverFollowedBy: { event: 'x', where: [{ attribute: 'p', gt: 5 }] } },
      '“cart_filled” at least 1 time, and never “x” where p is more than 5 after any of them',
    ],
    [
      { funnel: 'buying', state: 'dropped', step: 2, within: '30d' },
      'dropped out of “Buying” at step 2, entered in the last 30 days',
    ],
    [
      { funnel: 'buying', state: 'reached', step: 1, within: '7d' },
      'reached step 1 of “Buying”, entered in the last 7 days',
    ],
    [
      { funnel: 'buying', state: 'open', step: 1, within: '7d' },
      'come to step 1 of “Buying” and may still go on, entered in the last 7 days',
    ],
    [
      {
        funnel: { steps: [{ event: 'qwert' }, { event: 'x' }], window: '1d' },
        state: 'converted',
        within: '7d',
      },
      'converted in “cart_filled → x”, entered in the last 7 days',
    ],
    [
      { funnel: '', state: 'dropped', step: 1, within: '7d' },
      'dropped out of “…” at step 1, entered in the last 7 days',
    ],
    [{ message: {}, was: 'sent', within: '7d' }, 'any message sent in the last 7 days'],
    [
      { not: { message: { channel: 'EMAIL', purpose: 'marketing' }, was: 'sent', within: '7d' } },
      'not any marketing message by E-mail sent in the last 7 days',
    ],
    [
      { message: { channel: 'EMAIL', tag: 'מבצע' }, was: 'sent' },
      'any message tagged “\u2068מבצע\u2069” by E-mail sent',
    ],
    [
      { message: { channel: 'SMS' }, was: 'clicked', count: { gte: 3 } },
      'at least 3 messages by SMS clicked',
    ],
    [
      { message: { purpose: 'transactional' }, was: 'opened', count: { gte: 2, lte: 2 } },
      'exactly 2 transactional messages opened',
    ],
    [
      { message: { campaignId: 'f00' }, was: 'opened', within: '1d' },
      'message of campaign f00 opened in the last 1 day',
    ],
    [{ message: { campaignId: '' }, was: 'opened' }, 'message of campaign … opened'],
    [{ segment: 'vip' }, 'in the segment “VIP”'],
    [{ reachable: 'EMAIL', purpose: 'marketing' }, 'reachable by E-mail (marketing)'],
    [
      { all: [{ segment: 'vip' }, { any: [{ segment: 'a' }, { not: { segment: 'b' } }] }] },
      'in the segment “VIP” and (in the segment “a” or not in the segment “b”)',
    ],
  ])('%j', (condition, text) => {
    expect(summarize(condition, facts.names)).toBe(text);
  });
});

test.each<[Condition, string | undefined]>([
  [LEAF_DESCRIPTORS.attribute.initial, 'Attribute'],
  [LEAF_DESCRIPTORS.event.initial, 'Event'],
  [LEAF_DESCRIPTORS.segment.initial, 'Segment'],
  [LEAF_DESCRIPTORS.message.initial, undefined],
  [LEAF_DESCRIPTORS.field.initial, undefined],
  [LEAF_DESCRIPTORS.reachable.initial, undefined],
  [{ attribute: 'plan', is: '' }, undefined],
])('new-condition: until it is filled in, %j is called %s', (condition, label) => {
  expect(unnamedLabel(condition)).toBe(label);
});

test('explained-parts: each line has its condition and its level, also below a segment', () => {
  const condition: Condition = { all: [{ segment: 'vip' }, { segment: 'gone' }] };
  const tree = [
    { pointer: '', key: 'all', result: false },
    {
      pointer: '/all/0',
      key: 'segment',
      result: true,
      tree: [
        { pointer: '', key: 'not', result: true },
        { pointer: '/not', key: 'field', result: false },
      ],
    },
    { pointer: '/all/1', key: 'segment', result: false, tree: [] },
  ] as const;

  expect(
    listParts({ condition, tree }, facts.conditions).map(({ key, depth, node }) => [
      key,
      depth,
      node,
    ]),
  ).toEqual([
    ['', 0, condition],
    ['/all/0', 1, { segment: 'vip' }],
    ['/all/0/segment', 2, { not: { field: 'country', is: 'DE' } }],
    ['/all/0/segment/not', 3, { field: 'country', is: 'DE' }],
    ['/all/1', 1, { segment: 'gone' }],
  ]);
});

describe('builder/attribute-condition', () => {
  const plan = {
    attribute: 'plan',
    type: 'string',
    count: 3,
    values: [{ value: 'pro', count: 2 }],
  } as const;
  const age = { attribute: 'age', type: 'number', count: 1, values: [] } as const;

  test('a name with values of two types is offered twice, each by a key of its own', () => {
    const text = { ...age, type: 'string' } as const;
    const of = { asked: 3, fields: [], attributes: [plan, age, text] };

    expect(suggestionsOf(of, 'age')).toEqual([age, text]);
    expect(new Set(attributeOptions(of).map(({ value }) => value)).size).toBe(3);
  });

  test.each([
    [plan, { attribute: 'plan', is: 'pro' }],
    [age, { attribute: 'age', is: 0 }],
    [{ ...age, type: 'array' } as const, { attribute: 'age', exists: true }],
    [
      { ...age, attribute: ['a', 'b'] },
      { attribute: ['a', 'b'], is: 0 },
    ],
    [undefined, { attribute: '', is: '' }],
  ])('an attribute begins with its most frequent value: %j', (suggested, condition) => {
    expect(ofAttribute(suggested)).toEqual(condition);
  });

  test.each([
    [{ attribute: '', is: '' }, plan, { attribute: 'plan', is: 'pro' }],
    [{ attribute: 'x', is: 'gold' }, plan, { attribute: 'plan', is: 'gold' }],
    [{ attribute: 'x', is: 'gold' }, age, { attribute: 'age', is: 0 }],
    [{ attribute: 'x', gt: 5 }, plan, { attribute: 'plan', gt: 5 }],
    [{ attribute: 'x', is: 'gold' }, undefined, { attribute: 'plan', is: 'gold' }],
  ])('%j keeps what still has a meaning', (node, suggested, condition) => {
    expect(withAttribute(node, suggested?.attribute ?? 'plan', suggested)).toEqual(condition);
  });
});

test('counts of parts are those below the condition that is edited', () => {
  const preview = {
    estimate: { count: 1, low: 1, high: 1, isExact: true },
    sample: [],
    stillOpen: [],
    warnings: [],
    asOf: 1,
    tookMs: 1,
    parts: [
      { pointer: '/condition/all/0', count: 9 },
      { pointer: '/condition/all/0/any/0', count: 7 },
      { pointer: '/condition/all/1', count: 50 },
    ],
  };

  expect(toPartCounts(preview, '/condition/all/0')).toEqual({
    isExact: true,
    counts: new Map([['/any/0', 7]]),
    most: 7,
  });
  expect(toPartCounts(preview)?.counts.size).toBe(3);
  expect(toPartCounts(undefined)).toBeNull();
});
