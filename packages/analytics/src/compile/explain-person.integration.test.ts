import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FunnelDefinition, FunnelStep } from '@tidings/contracts/analytics/funnels';
import { tryEveryChain, type ChainOutcome } from '@tidings/folds/testing/chains';
import {
  connectTestDatabase,
  createTestApplication,
  randomFrom,
  seedsOfRun,
} from '@tidings/testing';
import { askUsers } from '@tidings/segments/ask-users';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { toMs } from '@tidings/segments/durations';
import { readConditionContext } from '@tidings/segments/segments';
import { randomUUID } from 'node:crypto';
import { explainFunnel, type FunnelExplanation } from './explain-person.ts';
import {
  createShop,
  drawRange,
  HOUR_MS,
  insertShop,
  matchesStep,
  PRICES,
  type Shop,
  type ShopEvent,
  type ShopPerson,
} from '../testing/create-shop.ts';

const SEEDS = [20_260_301, 20_260_302, 20_260_303, 20_260_304];
const FUNNELS = 10;
const PERSONS = 60;
const NOW = Date.parse('2026-11-20T10:20:00.000Z');
const REJECTED_MAX = 10;

const db = connectTestDatabase();
afterAll(() => db.close());

type Question = {
  readonly funnel: FunnelDefinition;
  readonly from: number;
  readonly to: number;
};

/** How many persons have what. */
const seen = { dropped: 0, open: 0, converted: 0, afterwards: 0, rejected: 0 };

describe.each(seedsOfRun(SEEDS))('of the shop of seed %i', (seed) => {
  let shop: Shop;
  let context: ConditionContext;
  const next = randomFrom(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(values: readonly T[]): T => values[integer(values.length)] as T;

  beforeAll(async () => {
    shop = await createShop(db, { seed, now: NOW, count: PERSONS });
    context = await readConditionContext(db.sql, shop.applicationId);
  }, 60_000);

  const drawStep = (): FunnelStep => ({
    event: pick(['viewd', 'seenx', 'cartd', 'order']),
    ...(next() < 0.4 && {
      where: [
        ...(next() < 0.3 ? [{ attribute: 'price', gt: 0 }] : []),
        pick([
          { attribute: 'price', gt: 50 },
          { attribute: 'price', is: pick(PRICES.slice(0, 5) as (number | string)[]) },
        ]),
      ],
    }),
  });
  const drawQuestion = (): Question => ({
    funnel: {
      steps: Array.from({ length: 2 + integer(3) }, drawStep),
      window: pick(['1h', '2h', '1m', '90m']),
    },
    ...drawRange(shop, { next, now: NOW }),
  });

  const outcomeOf = (
    events: readonly ShopEvent[],
    { funnel, from, to }: Question,
    accepted?: { readonly event: ShopEvent; readonly step: number },
  ): ChainOutcome =>
    tryEveryChain(
      events.map((event) => ({
        time: event.time,
        matches: funnel.steps.flatMap((step, at) =>
          matchesStep(event, step) || (accepted?.event === event && accepted.step === at)
            ? [at]
            : [],
        ),
      })),
      { steps: funnel.steps.length, windowMs: toMs(funnel.window), from, to, asOf: NOW },
    );

  /** An explanation, one person and one event at a time. */
  function plainExplanation(
    { events }: ShopPerson,
    question: Question,
    idOf: (event: ShopEvent) => string,
  ) {
    const { funnel, from, to } = question;
    const { reached, isOpen } = outcomeOf(events, question);
    const step = funnel.steps[reached];
    if (step === undefined) return { reached, state: 'converted', missing: null };
    const starts = events
      .map(({ time }) => time)
      .filter(
        (time) =>
          time >= from &&
          time < to &&
          outcomeOf(events, { ...question, from: time, to: time + 1 }).reached === reached,
      );
    const lookedUntil = reached === 0 ? to - 1 : Math.max(...starts) + toMs(funnel.window);
    const afterwards = events
      .filter((event) => event.time > lookedUntil && event.time <= NOW && matchesStep(event, step))
      .toSorted((a, b) => a.time - b.time || (idOf(a) < idOf(b) ? -1 : 1))[0];
    const rejected = events
      .filter((event) => matchesStep(event, { event: step.event }) && !matchesStep(event, step))
      .filter((event) => outcomeOf(events, question, { event, step: reached }).reached > reached)
      .toSorted((a, b) => a.time - b.time || (idOf(a) < idOf(b) ? -1 : 1))
      .map((event) => ({
        eventId: idOf(event),
        pointer: `/steps/${reached}/where/${(step.where ?? []).findIndex(
          (each) => !matchesStep(event, { event: step.event, where: [each] }),
        )}`,
      }));
    return {
      reached,
      state: reached === 0 ? 'not_entered' : isOpen ? 'open' : 'dropped',
      missing: {
        lookedUntil,
        ...(afterwards !== undefined && {
          nextAfterwards: { at: afterwards.time, eventId: idOf(afterwards) },
        }),
        rejected: rejected.slice(0, REJECTED_MAX),
      },
    };
  }

  test('explanations are those of trying every chain', async () => {
    const ids = new Map(
      shop.persons.flatMap(({ events }) => events).map((event, n) => [event, `m${n}`]),
    );
    const idOf = (event: ShopEvent): string => ids.get(event) ?? '';
    const eventOf = new Map([...ids].map(([event, id]) => [id, event]));
    for (let index = 0; index < FUNNELS; index += 1) {
      const question = drawQuestion();
      for (const person of shop.persons) {
        const { customUserId } = person;
        if (customUserId === null) continue;
        const found = await askUsers(db, (sql) =>
          explainFunnel(sql, { context, ...question, now: NOW }, customUserId),
        );
        const shown = { question, person: customUserId };
        expect({ shown, isFound: found !== null }).toEqual({
          shown,
          isFound: person.isRegistered,
        });
        if (found === null) continue;
        if (found === 'timed_out') throw new Error(found);
        const { chain, missing } = splitSteps(found);
        const { reached, state } = found;
        const expected = plainExplanation(person, question, idOf);
        expect({ shown, reached, state, missing }).toEqual({ shown, ...expected });
        const events = chain.map(({ eventId }) => eventOf.get(eventId) as ShopEvent);
        expect({ shown, length: new Set(events).size }).toEqual({ shown, length: reached });
        for (const [step, { at }] of chain.entries())
          expect({
            shown,
            step,
            at,
            isSuch: matchesStep(
              events[step] as ShopEvent,
              question.funnel.steps[step] as FunnelStep,
            ),
          }).toEqual({ shown, step, at: events[step]?.time, isSuch: true });
        if (state !== 'not_entered') seen[state] += 1;
        if (missing?.nextAfterwards !== undefined) seen.afterwards += 1;
        if ((missing?.rejected.length ?? 0) > 0) seen.rejected += 1;
      }
    }
  }, 120_000);
});

test.each(Object.keys(seen))('some of these persons are %s', (what) => {
  expect(seen[what as keyof typeof seen]).toBeGreaterThan(0);
});

test('an event that a step takes at the end of the window is not the next one, too late', async () => {
  const { applicationId } = await createTestApplication(db);
  const id = randomUUID();
  const from = NOW - 3 * HOUR_MS;
  const event = { userId: id, price: 1 };
  const person = { id, customUserId: 'ada', isRegistered: true, mergedIds: [], country: null };
  const events = [
    { ...event, slug: 'viewd', time: from },
    { ...event, slug: 'cartd', time: from + HOUR_MS },
  ];
  await insertShop(db, { applicationId, persons: [{ ...person, events }] });
  const context = await readConditionContext(db.sql, applicationId);
  const funnel = {
    steps: [{ event: 'viewd' }, { event: 'cartd' }, { event: 'cartd' }],
    window: '1h',
  };

  expect(
    await askUsers(db, (sql) =>
      explainFunnel(sql, { context, funnel, from, to: NOW, now: NOW }, 'ada'),
    ),
  ).toEqual({
    reached: 2,
    state: 'dropped',
    steps: [
      { at: from, eventId: 'm0' },
      { at: from + HOUR_MS, eventId: 'm1' },
      { missing: { lookedUntil: from + HOUR_MS, rejected: [] } },
    ],
  });
});

function splitSteps({ steps }: FunnelExplanation) {
  const chain = steps.flatMap((step) => ('missing' in step ? [] : [step]));
  const missing = steps.flatMap((step) => ('missing' in step ? [step.missing] : []))[0] ?? null;
  return { chain, missing };
}
