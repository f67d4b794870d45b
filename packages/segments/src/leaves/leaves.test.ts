import { describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import type { FactCondition } from '@tidings/contracts/segments/leaves/descriptors';
import { hearsOf, isLiveCondition } from '../live-conditions.ts';
import { readCondition } from '../read-condition.ts';
import { createCondition } from '../testing/create-condition.ts';
import { createPopulation } from '../testing/create-population.ts';
import { FACT_KINDS, modelOf } from '../testing/leaves.ts';
import { createRandom } from '../testing/random.ts';
import { leafOf } from './leaves.ts';

const random = createRandom(20_260_607);
const of = createPopulation(random, {
  applicationId: random.uuid(),
  now: Date.parse('2026-06-15T12:00:00.000Z'),
  count: 300,
});
const context = { ...of, eventRetentionDays: null, deliveryRetentionDays: null };

describe.each(FACT_KINDS)('drawn conditions of the kind %s', (kind) => {
  const { draw, evaluate } = modelOf(kind);
  const drawn = Array.from({ length: 60 }, () => draw(random, of));

  test('are of this kind', () => {
    expect(new Set(drawn.map((condition) => nodeOf(condition).key))).toEqual(new Set([kind]));
  });

  test('are valid at the greatest depth', () => {
    const deep = (condition: Condition, depth: number): Condition =>
      depth === 1 ? condition : { all: [deep(condition, depth - 1)] };

    expect(
      drawn.filter(
        (condition) => !readCondition(deep(condition, LIMITS.conditionDepthMax), context).ok,
      ),
    ).toEqual([]);
  });

  test('tell users apart, or the comparison with statements would show nothing', () => {
    const telling = drawn.filter(
      (condition) =>
        new Set(of.persons.map((person) => evaluate(condition, person, of))).size === 2,
    );

    expect(telling.length).toBeGreaterThan(drawn.length / 3);
  });
});

test('generated conditions have every kind', () => {
  const keysOf = (condition: Condition): string[] => {
    const node = nodeOf(condition);
    if (node.type === 'group') return node.children.flatMap(keysOf);
    return node.type === 'not' ? keysOf(node.child) : [node.key];
  };
  const drawn = Array.from({ length: 400 }, () => createCondition(random, of));

  expect(new Set(drawn.flatMap(keysOf))).toEqual(new Set([...FACT_KINDS, 'segment']));
});

test.each<[may: boolean, condition: FactCondition]>([
  [true, { attribute: 'plan', is: 'pro' }],
  [true, { field: 'country', is: 'DE' }],
  [true, { field: 'birthday', before: { ago: '30d' } }],
  [true, { event: 'viewd', within: '30d' }],
  [true, { message: { campaignId: of.campaigns[0]?.id ?? '' }, was: 'opened' }],
  // What becomes of any message is not recorded with the user.
  [false, { message: {}, was: 'opened' }],
  [false, { message: { channel: 'EMAIL', purpose: 'marketing' }, was: 'sent' }],
  // What they ask for also changes with a device, or with settings of the application.
  [false, { field: 'timeZone', is: 'UTC' }],
  [false, { reachable: 'EMAIL' }],
  // Time alone moves people, and their events are folded for each question.
  [false, { funnel: 'buying', state: 'dropped', step: 1, within: '30d' }],
])('whether it may stand in a live segment: %s for %j', (may, condition) => {
  const node = nodeOf(condition);

  expect(node.type === 'fact' && leafOf(node.key).isLive(condition)).toBe(may);
});

const campaignId = of.campaigns[0]?.id ?? '';

test('what changes its answer apart from time, also in segments that it names', () => {
  const condition: Condition = {
    all: [
      { segment: 'vip' },
      { not: { event: 'sales', notFollowedBy: { event: 'login', in: '1d' } } },
      { message: { campaignId }, was: 'opened' },
      { any: [{ message: { campaignId }, was: 'clicked' }, { segment: 'gone' }] },
    ],
  };

  expect(hearsOf(condition, context)).toEqual({
    profile: true,
    slugs: ['order', 'sales', 'login'],
    campaigns: [[campaignId, ['opened', 'clicked']]],
  });
  expect(hearsOf({ event: 'login' }, context)).toEqual({
    profile: false,
    slugs: ['login'],
    campaigns: [],
  });
});

test('a condition is live if all of it is, also what its segments ask', () => {
  const segments = new Map<string, Condition>([
    ['reached', { any: [{ reachable: 'EMAIL' }, { attribute: 'plan', is: 'pro' }] }],
    ['named', { not: { segment: 'reached' } }],
  ]);

  expect(isLiveCondition({ all: [{ segment: 'outer' }] }, context)).toBe(true);
  expect(isLiveCondition({ all: [{ segment: 'named' }] }, { segments })).toBe(false);
});
