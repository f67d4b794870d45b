import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FunnelDefinition, FunnelStep } from '@tidings/contracts/analytics/funnels';
import type { ChainOutcome } from '@tidings/folds/testing/chains';
import { casesOfRun, connectTestDatabase, randomFrom, seedsOfRun } from '@tidings/testing';
import { explainMembership } from '@tidings/segments/explain';
import { countMembers, listMembers, selectMembers } from '@tidings/segments/members';
import { createQuestionQueue, QUESTION_DEFAULTS } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { askFunnel, type FunnelQuestion, type FunnelResult } from './ask-funnel.ts';
import type { FunnelPart } from '@tidings/folds/funnel-state';
import { listFunnelPeople } from './compile/funnel-people.ts';
import {
  createShop,
  drawRange,
  PRICES,
  type Shop,
  type ShopPerson,
} from './testing/create-shop.ts';
import { isPart, plainOutcome, plainSteps } from './testing/plain-funnel.ts';

const SEEDS = [20_260_101, 20_260_102, 20_260_103, 20_260_104];
const FUNNELS = casesOfRun({ usual: 10, all: 25 });
const LISTED = casesOfRun({ usual: 3, all: 8 });
const PERSONS = 400;
/** Persons whom each number is explained of. */
const EXPLAINED = casesOfRun({ usual: 6, all: 20 });
const NOW = Date.parse('2026-11-20T10:20:00.000Z');

const db = connectTestDatabase();
const questions = createQuestionQueue(db, {
  ...QUESTION_DEFAULTS,
  timeoutMs: 60_000,
  workMemMiB: 64,
});
afterAll(() => db.close());

async function ask(question: FunnelQuestion): Promise<FunnelResult> {
  const answer = await questions.ask(question.context.applicationId, (sql) =>
    askFunnel(sql, question),
  );
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

describe.each(seedsOfRun(SEEDS))('of the shop of seed %i', (seed) => {
  let shop: Shop;
  let context: ConditionContext;
  /** Funnels with persons at their end. */
  let telling = 0;
  const next = randomFrom(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(values: readonly T[]): T => values[integer(values.length)] as T;

  beforeAll(async () => {
    shop = await createShop(db, { seed, now: NOW, count: PERSONS });
    context = await readConditionContext(db.sql, shop.applicationId);
  }, 60_000);

  const drawStep = (): FunnelStep => ({
    event: pick([
      'viewd',
      'seenx',
      'cartd',
      'order',
      { kind: 'action', name: 'name of cartd' } as const,
    ]),
    ...(next() < 0.4 && {
      where: [
        pick([
          { attribute: 'price', gt: 50 },
          { attribute: 'price', is: pick(PRICES.slice(0, 5) as (number | string)[]) },
        ]),
      ],
    }),
  });

  const drawQuestion = (): FunnelQuestion => {
    const funnel: FunnelDefinition = {
      steps: Array.from({ length: 2 + integer(3) }, drawStep),
      window: pick(['1h', '2h', '1m', '90m']),
    };
    return {
      context,
      funnel,
      ...drawRange(shop, { next, now: NOW }),
      now: NOW,
      condition: null,
      breakdown: next() < 0.5 ? { field: 'country' } : null,
      hasVisitors: next() < 0.3,
      memoryMiB: 16,
    };
  };

  test(`${FUNNELS} funnels have the numbers of trying every chain`, async () => {
    for (let index = 0; index < FUNNELS; index += 1) {
      const question = drawQuestion();
      const asked = { funnel: question.funnel, from: question.from, to: question.to };

      const expected = plainResult(question);
      if ((expected.steps.at(-1)?.users ?? 0) > 0) telling += 1;
      expect({ asked, ...(await ask(question)) }).toEqual({ asked, ...expected });
    }
    expect(telling).toBeGreaterThan(FUNNELS / 4);
  }, 120_000);

  test('each number is the length of its list of people, who are those of the evaluation', async () => {
    for (let index = 0; index < LISTED; index += 1) {
      const question = { ...drawQuestion(), hasVisitors: false, breakdown: null };
      const { steps } = await ask(question);
      const parts = steps.flatMap(({ users, dropped, open }, at) => [
        { state: 'reached' as const, step: at + 1, count: users },
        ...(dropped === undefined
          ? []
          : [{ state: 'dropped' as const, step: at + 1, count: dropped }]),
        ...(open === undefined ? [] : [{ state: 'open' as const, step: at + 1, count: open }]),
      ]);
      for (const { count, ...part } of parts) {
        const people = await questions.ask(shop.applicationId, (sql) =>
          listFunnelPeople(sql, { ...question, part }, { limit: PERSONS }),
        );
        expect({ part, people }).toEqual({ part, people: plainPeople(question, part) });
        expect(people).toHaveLength(count);
        expect({ part, ...(await segmentOf(question, part)) }).toEqual({
          part,
          count,
          listed: people,
          given: people,
          explained: people,
        });
      }
    }
  }, 120_000);

  /** Whom the leaf of a condition is true of, in each shape. */
  async function segmentOf(question: FunnelQuestion, { state, step }: FunnelPart) {
    const { funnel, from, to, now } = question;
    const slug = 'asked';
    const condition = {
      // By its slug, or as a campaign keeps it.
      funnel: next() < 0.5 ? slug : funnel,
      state,
      ...(state !== 'converted' && { step }),
      from,
      to,
    };
    const asked = {
      context: { ...context, funnels: new Map([[slug, funnel]]) },
      condition,
      now,
    };
    const registered = shop.persons.filter(({ isRegistered }) => isRegistered);
    const named = (persons: readonly ShopPerson[]): string[] =>
      persons.map(({ customUserId }) => String(customUserId)).toSorted();
    const counted = await questions.ask(shop.applicationId, (sql) =>
      countMembers(sql, { ...asked, memoryMiB: 16 }),
    );
    const given = await selectMembers(
      db.sql,
      asked,
      shop.persons.map(({ id }) => id),
    );
    const explained: string[] = [];
    for (const person of registered.slice(0, EXPLAINED)) {
      const customUserId = String(person.customUserId);
      const explanation = await explainMembership(db.sql, asked, { customUserId });
      if (explanation?.isMember !== given.has(person.id)) explained.push(customUserId);
    }
    const inGiven = named(registered.filter(({ id }) => given.has(id)));
    return {
      count: typeof counted === 'string' ? counted : counted.count,
      listed: await questions.ask(shop.applicationId, (sql) =>
        listMembers(sql, { ...asked, memoryMiB: 16 }, { limit: PERSONS }),
      ),
      given: inGiven,
      // With whom it disagrees, if there is one.
      explained: [...inGiven, ...explained].toSorted(),
    };
  }

  test('a segment leaves its members', async () => {
    const question = { ...drawQuestion(), hasVisitors: false, breakdown: null };
    const condition = { field: 'country', in: ['DE', 'AT'] } as const;
    const members = shop.persons.filter(({ country }) => ['DE', 'AT'].includes(country ?? ''));

    expect(await ask({ ...question, condition })).toEqual(plainResult(question, members));
  });

  const plainPeople = (question: FunnelQuestion, part: FunnelPart): string[] =>
    shop.persons
      .filter(({ isRegistered }) => isRegistered)
      .filter((person) => isPart(plainOutcome(person, question), part))
      .map(({ customUserId }) => String(customUserId))
      .toSorted();

  /** One value at a time, with the rules of the question. */
  function plainResult(question: FunnelQuestion, among = shop.persons): FunnelResult {
    const { funnel, breakdown, hasVisitors } = question;
    const asked = among.filter(({ isRegistered }) => isRegistered || hasVisitors);
    const outcomes = new Map(asked.map((person) => [person, plainOutcome(person, question)]));
    const count = (isCounted: (person: ShopPerson) => boolean) =>
      plainSteps(
        asked.filter(isCounted).map((person) => outcomes.get(person) as ChainOutcome),
        funnel.steps.length,
      );
    const steps = count(() => true);
    if (breakdown === null) return { steps };
    const entered = asked.filter((person) => (outcomes.get(person)?.reached ?? 0) > 0);
    const sizes = ['AT', 'CH', 'DE']
      .map((value) => ({ value, n: entered.filter(({ country }) => country === value).length }))
      .filter(({ n }) => n > 0)
      .toSorted((a, b) => b.n - a.n || (a.value < b.value ? -1 : 1));
    return {
      steps,
      groups: [
        ...sizes.map(({ value }) => ({
          value,
          steps: count(({ country }) => country === value),
        })),
        { value: null, steps: count(({ country }) => country === null) },
      ],
      othersGroups: 0,
      others: null,
    };
  }
});

test('more persons than its memory holds end a question', async () => {
  const { applicationId } = await createShop(db, { seed: 1, now: NOW, count: 1 });
  const context = await readConditionContext(db.sql, applicationId);
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select gen_random_uuid(), n, $1, gen_random_uuid(), 'm', 'action', 'viewd', $2, now()
     from generate_series(1, 20000) n`,
    [applicationId, NOW],
  );
  const question = {
    context,
    funnel: { steps: [{ event: 'viewd' }, { event: 'order' }], window: '1h' },
    from: NOW - 1,
    to: NOW + 1,
    now: NOW,
    condition: null,
    breakdown: null,
    hasVisitors: true,
  };

  await expect(ask({ ...question, memoryMiB: 1 })).rejects.toThrow('more memory');
  expect((await ask({ ...question, memoryMiB: 16 })).steps[0]?.users).toBeGreaterThanOrEqual(0);
});
