import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { connectTestDatabase, randomFrom } from '@tidings/testing';
import { askUsers } from '@tidings/segments/ask-users';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { createQuestionQueue } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import { askFunnel } from '../ask-funnel.ts';
import { estimateFunnel, type FunnelEstimate } from './estimate-funnel.ts';
import { createShop, HOUR_MS, HOURS, type Shop } from '../testing/create-shop.ts';

const PERSONS = 1_200;
const NOW = Date.parse('2026-11-20T10:20:00.000Z');
const SLUGS = ['viewd', 'cartd', 'order'];
const db = connectTestDatabase();
afterAll(() => db.close());

let shop: Shop;
let context: ConditionContext;
let names: readonly string[];
beforeAll(async () => {
  shop = await createShop(db, { seed: 20_260_401, now: NOW, count: PERSONS });
  context = await readConditionContext(db.sql, shop.applicationId);
  names = shop.persons.flatMap(({ isRegistered, customUserId }) =>
    isRegistered && customUserId !== null ? [customUserId] : [],
  );
}, 60_000);

const questionOf = (steps: readonly string[], condition: Condition | null = null) => ({
  context,
  funnel: { steps: steps.map((event) => ({ event })), window: '2h' },
  from: NOW - HOURS * HOUR_MS,
  to: NOW,
  now: NOW,
  condition,
});
const FUNNELS = SLUGS.flatMap((a) => SLUGS.map((b) => [a, b, 'cartd']));

async function estimate(
  question: ReturnType<typeof questionOf>,
  {
    asked,
    isOver = () => false,
  }: { readonly asked: readonly string[]; readonly isOver?: () => boolean },
): Promise<FunnelEstimate> {
  const drawn = {
    customUserIds: asked,
    registered: names.length,
    isAll: asked.length === names.length,
  };
  const answer = await askUsers(db, (sql) => estimateFunnel(sql, question, { drawn, isOver }));
  if (answer === 'timed_out') throw new Error(answer);
  return answer;
}

async function count(question: ReturnType<typeof questionOf>) {
  const answer = await createQuestionQueue(db).ask(shop.applicationId, (sql) =>
    askFunnel(sql, { ...question, breakdown: null, hasVisitors: false, memoryMiB: 16 }),
  );
  if (typeof answer === 'string') throw new Error(answer);
  return answer.steps;
}

test.each([
  ['of all users', null],
  ['of a segment', { field: 'country', in: ['DE', 'AT'] }],
] as const)('when all users are asked, it has the exact numbers %s', async (_of, condition) => {
  for (const steps of FUNNELS) {
    const question = questionOf(steps, condition as Condition | null);

    const exact = await count(question);

    expect(await estimate(question, { asked: names })).toEqual({
      isExact: true,
      steps: exact.map((step) => ({ ...step, low: step.users, high: step.users })),
    });
  }
});

test('from some users, nearly all bounds hold the exact numbers, and numbers add up', async () => {
  const next = randomFrom(1);
  let [bounds, held] = [0, 0];
  for (const steps of FUNNELS) {
    const question = questionOf(steps);
    const exact = await count(question);
    for (let draw = 0; draw < 4; draw += 1) {
      const asked = names.filter(() => next() < 0.3);

      const { steps: estimated, isExact } = await estimate(question, { asked });

      expect(isExact).toBe(false);
      for (const [index, { users, low, high, dropped, open }] of estimated.entries()) {
        bounds += 1;
        if (low <= Number(exact[index]?.users) && Number(exact[index]?.users) <= high) held += 1;
        expect(low).toBeLessThanOrEqual(users);
        expect(users).toBeLessThanOrEqual(high);
        expect(low).toBeLessThan(high);
        const after = estimated[index + 1]?.users ?? users;
        expect(after + (dropped ?? 0) + (open ?? 0)).toBe(users);
      }
    }
  }
  // 95 % of them each, and more: they are drawn from few.
  expect(held / bounds).toBeGreaterThan(0.9);
}, 60_000);

test('when the time is over, fewer users answer, with wider bounds', async () => {
  const question = questionOf(['viewd', 'cartd']);

  const short = await estimate(question, { asked: names, isOver: () => true });

  const { steps, isExact } = await estimate(question, { asked: names });
  expect([short.isExact, isExact]).toEqual([false, true]);
  expect(steps[0]?.low).toBe(steps[0]?.high);
  expect(short.steps[0]?.low).toBeLessThan(Number(short.steps[0]?.high));
});

test('without users there are none', async () => {
  const { steps } = await estimate(questionOf(['viewd', 'order']), { asked: [] });

  expect(steps).toMatchObject([
    { users: 0, low: 0, high: names.length },
    { users: 0, low: 0, high: names.length },
  ]);
});
