import { expect, test } from '@jest/globals';
import { toProgram } from '@tidings/automations/program';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { PersonEvent } from '@tidings/segments/stored-people';
import { namedOf } from './named-events.ts';
import { rehearsePerson } from './rehearse-person.ts';
import type { Rehearsing } from './rehearsing.ts';
import { createTally, type Tally } from './tally.ts';

const FROM = Date.UTC(2026, 0, 5);
const event = (name: string) => ({ kind: 'action', name }) as const;

/** Who fills a cart gets a message at once. */
const DEFINITION: AutomationDefinition = {
  version: 1,
  name: 'Abandoned cart',
  purpose: 'transactional',
  trigger: { event: event('cartd') },
  entry: { again: 'always' },
  nodes: [{ id: 'mail1', send: { channel: 'EMAIL', message: { title: 'Hi', body: 'Hi' } } }],
};
const GOAL: AutomationDefinition = {
  ...DEFINITION,
  exit: [{ event: event('order'), as: 'goal' }],
};

/** Rehearses one person, with an event each second. */
async function rehearse(
  slugs: readonly string[],
  {
    definition = DEFINITION,
    goesOn = () => Promise.resolve(true),
  }: { definition?: AutomationDefinition; goesOn?: () => Promise<boolean> } = {},
): Promise<{ readonly tally: Tally; readonly looks: number }> {
  const { trigger } = definition;
  if (!('event' in trigger)) throw new TypeError('a trigger by events');
  const named = namedOf(definition, trigger);
  const of: Rehearsing = {
    applicationId: '',
    program: toProgram(definition),
    trigger,
    triggerSlugs: new Set(['cartd']),
    named,
    context: {
      applicationId: '',
      definitions: ['cartd', 'order'].map((name) => ({
        slug: name,
        kind: 'action',
        name,
        discarded: false,
        mergedInto: null,
      })),
      segments: new Map(),
      funnels: new Map(),
      eventRetentionDays: null,
      deliveryRetentionDays: null,
    },
    from: FROM,
    to: FROM + 86_400_000,
  };
  let looks = 0;
  const events = slugs.map((slug, index): PersonEvent => {
    const receivedAt = FROM + index * 1_000;
    return {
      userId: 'ada',
      requestId: '',
      messageIndex: index,
      messageId: String(index),
      receivedAt,
      time: BigInt(receivedAt),
      get slug() {
        looks += 1;
        return slug;
      },
      isProved: true,
      isNamed: named.list.map((each) => JSON.stringify(each.event) === JSON.stringify(event(slug))),
      value: null,
    };
  });
  const tally = createTally(definition);
  await rehearsePerson(
    of,
    { userId: 'ada', customUserId: 'ada', registeredAt: FROM - 1_000, events },
    {
      tally,
      goesOn,
      asker: {
        isTrue: () => Promise.resolve(true),
        calendar: () => Promise.reject(new Error('no step waits until a time')),
        quietUntil: () => Promise.resolve([]),
        isUnsubscribed: () => Promise.resolve(false),
        unreachable: () => Promise.resolve(null),
      },
    },
  );
  return { tally, looks };
}

const carts = (n: number): string[] => Array.from({ length: n }, () => 'cartd');

test('runs that ended are not looked at again, and the first 100 are shown', async () => {
  const { tally, looks } = await rehearse(carts(1_000));

  expect(tally.result()).toMatchObject({ entered: 1_000, completed: 1_000 });
  expect(looks).toBeLessThan(10_000);
  expect(tally.kept.map(({ enteredAt }) => enteredAt)).toEqual(
    Array.from({ length: 100 }, (_each, index) => FROM + index * 1_000),
  );
});

test('one event is the goal of more than a thousand runs', async () => {
  const { tally } = await rehearse([...carts(1_001), 'order'], { definition: GOAL });

  expect(tally.result()).toMatchObject({ entered: 1_001, completed: 1_001, goals: 1_001 });
});

test('others have their turn, and what has no time left ends there', async () => {
  let turns = 0;
  const { tally } = await rehearse(carts(1_000), {
    goesOn: () => {
      turns += 1;
      return Promise.resolve(turns < 5);
    },
  });

  expect(turns).toBe(5);
  const { entered } = tally.result();
  expect(entered).toBeGreaterThan(100);
  expect(entered).toBeLessThanOrEqual(500);
});
