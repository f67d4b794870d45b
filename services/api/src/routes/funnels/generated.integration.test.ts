import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createShop,
  HOUR_MS,
  HOURS,
  PRICES,
  type Shop,
  type ShopPerson,
} from '@tidings/analytics/testing/create-shop';
import {
  isPart,
  plainOutcome,
  plainSteps,
  type PlainQuestion,
} from '@tidings/analytics/testing/plain-funnel';
import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import { createQuestions, type Questions } from '@tidings/segments/questions';
import { connectTestDatabase, randomFrom, seedsOfRun } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const SEEDS = Array.from({ length: 8 }, (_, index) => 20_260_501 + index);
const PERSONS = 120;
const EXPLAINED = 4;
const NOW = Date.parse('2026-11-20T10:20:00.000Z');
const seeds = seedsOfRun(SEEDS);
/** 200 in all; a dozen in a run of some seeds. */
const FUNNELS = seeds.length === SEEDS.length ? 25 : 3;

const db = connectTestDatabase({ poolMax: 4 });
const real = createQuestions(db);
/** All questions have one moment: who may still convert does not change between two of them. */
const questions: Questions = {
  ...real,
  ask: (applicationId, work) => real.ask(applicationId, (sql) => work(sql, NOW)),
  askUsers: (applicationId, work) => real.askUsers(applicationId, (sql) => work(sql, NOW)),
  askDrawn: (applicationId, work) =>
    real.askDrawn(applicationId, (sql, drawn) => work(sql, drawn, NOW)),
};
const api = await startTestApi({ questions }, db);
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

type Steps = ReturnType<typeof plainSteps>;
type Page = {
  readonly items: readonly { readonly customUserId: string }[];
  readonly nextCursor: string | null;
};
type Group = { readonly value: unknown; readonly steps: Steps };
/** By what a result is parted, and the value of a person as text. */
const BREAKDOWNS: readonly (readonly [
  name: string,
  breakdown: object,
  groupOf: (person: ShopPerson, outcome: ReturnType<typeof plainOutcome>) => string | null,
])[] = [
  ['field', { field: 'country' }, ({ country }) => (country === null ? null : toText(country))],
  ['stepAttribute', { stepAttribute: 'price' }, (_person, { group }) => group],
];
const toText = (value: unknown): string | null =>
  value === null ? null : stringifyExactJson(value);

type Explanation = { readonly reached: number; readonly state: string };

describe.each(seeds)('funnels over the wire, of the shop of seed %i', (seed) => {
  let shop: Shop;
  let registered: readonly ShopPerson[];
  const next = randomFrom(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(values: readonly T[]): T => values[integer(values.length)] as T;

  beforeAll(async () => {
    shop = await createShop(db, { seed, now: NOW, count: PERSONS });
    registered = shop.persons.filter(({ isRegistered }) => isRegistered);
    await request('PUT', 'segments/german', {
      name: 'German',
      condition: { field: 'country', is: 'DE' },
    });
  }, 60_000);

  async function request<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await api.request<T>(method, path, {
      headers: { ...api.asAdmin, 'X-Application-Id': shop.applicationId },
      // Integers of 17 digits stay what they are.
      ...(body !== undefined && { body: stringifyExactJson(body) }),
    });
    expect({ path, body, status: answer.status }).toEqual({ path, body, status: 200 });
    return parseExactJson(answer.text) as T;
  }

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
          // A comparison has no integers beyond 2^53. Events have.
          { attribute: 'price', gt: Number.MAX_SAFE_INTEGER },
          { attribute: 'price', is: pick(PRICES.slice(0, 4) as (number | string)[]) },
        ]),
      ],
    }),
  });

  function drawQuestion(): PlainQuestion {
    const from = NOW - integer(HOURS * HOUR_MS);
    return {
      funnel: {
        steps: Array.from({ length: 2 + integer(3) }, drawStep),
        window: pick(['1h', '2h', '1m', '90m']),
      },
      from,
      to: from + 1 + integer(HOURS * HOUR_MS),
      now: NOW,
    };
  }

  const stepsOf = (persons: readonly ShopPerson[], question: PlainQuestion): Steps =>
    plainSteps(
      persons.map((person) => plainOutcome(person, question)),
      question.funnel.steps.length,
    );

  /** All pages of a list. */
  async function peopleOf(question: PlainQuestion, part: object): Promise<string[]> {
    const { funnel, from, to } = question;
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await request<Page>(
        'POST',
        `funnels/users?limit=50${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        { ...funnel, from, to, ...part },
      );
      names.push(...page.items.map(({ customUserId }) => customUserId));
      cursor = page.nextCursor;
    }
    return names;
  }

  test.each(Array.from({ length: FUNNELS }, (_, index) => index + 1))(
    'funnel %i: numbers, lists and explanations are those of trying every chain',
    async () => {
      const question = drawQuestion();
      const { funnel, from, to } = question;
      const asked = { ...funnel, from, to };
      const expected = stepsOf(registered, question);

      const { steps } = await request<{ readonly steps: Steps }>('POST', 'funnels/result', asked);
      expect({ asked, steps }).toEqual({ asked, steps: expected });

      // Stored, it has the same numbers.
      await request('PUT', `funnels/seed-${seed}`, { name: 'Generated', ...funnel });
      const stored = await request<{ readonly steps: Steps }>(
        'GET',
        `funnels/seed-${seed}/result?from=${from}&to=${to}`,
      );
      expect({ asked, steps: stored.steps }).toEqual({ asked, steps: expected });

      // Few users are all asked.
      const preview = await request<{ readonly steps: Steps; readonly isExact: boolean }>(
        'POST',
        'funnels/preview',
        asked,
      );
      expect({ asked, isExact: preview.isExact, steps: preview.steps }).toEqual({
        asked,
        isExact: true,
        steps: expected.map((step) => ({ ...step, low: step.users, high: step.users })),
      });

      const visitors = await request<{ readonly steps: Steps }>('POST', 'funnels/result', {
        ...asked,
        visitors: true,
      });
      expect({ asked, steps: visitors.steps }).toEqual({
        asked,
        steps: stepsOf(shop.persons, question),
      });
      const german = await request<{ readonly steps: Steps }>('POST', 'funnels/result', {
        ...asked,
        segment: 'german',
      });
      expect({ asked, steps: german.steps }).toEqual({
        asked,
        steps: stepsOf(
          registered.filter(({ country }) => country === 'DE'),
          question,
        ),
      });

      for (const [index, { users, dropped, open }] of steps.entries())
        for (const [state, count] of [
          ['reached', users],
          ['dropped', dropped],
          ['open', open],
        ] as const) {
          if (count === undefined) continue;
          const part = { state, step: index + 1 };
          const people = await peopleOf(question, part);
          expect({ asked, part, people }).toEqual({
            asked,
            part,
            people: registered
              .filter((person) => isPart(plainOutcome(person, question), part))
              .map(({ customUserId }) => String(customUserId))
              .toSorted(),
          });
          expect({ asked, part, count: people.length }).toEqual({ asked, part, count });
        }

      for (const [name, breakdown, groupOf] of BREAKDOWNS) {
        const { groups } = await request<{ readonly groups: readonly Group[] }>(
          'POST',
          'funnels/result',
          { ...asked, breakdown },
        );
        const members = (value: unknown) =>
          registered.filter((person) => {
            const outcome = plainOutcome(person, question);
            return outcome.reached > 0 && groupOf(person, outcome) === toText(value);
          });
        const shown = groups.map(({ value, steps: of }) => ({ value, steps: of }));
        expect({ asked, name, shown }).toEqual({
          asked,
          name,
          shown: shown.map(({ value }) => ({ value, steps: stepsOf(members(value), question) })),
        });
        const sum = groups.reduce((all, { steps: [first] }) => all + (first?.users ?? 0), 0);
        expect({ asked, name, sum }).toEqual({ asked, name, sum: steps[0]?.users });
        const { value } = pick(groups);
        const people = await peopleOf(question, { breakdown, group: value, state: 'reached' });
        expect({ asked, name, value, people }).toEqual({
          asked,
          name,
          value,
          people: members(value)
            .map(({ customUserId }) => String(customUserId))
            .toSorted(),
        });
      }

      for (let person = 0; person < EXPLAINED; person += 1) {
        const one = pick(registered);
        const { reached, isOpen } = plainOutcome(one, question);
        const explained = await request<Explanation>('POST', 'funnels/explain', {
          ...asked,
          customUserId: one.customUserId,
        });
        const ended = isOpen ? 'open' : 'dropped';
        const entered = reached === funnel.steps.length ? 'converted' : ended;
        expect({ asked, reached: explained.reached, state: explained.state }).toEqual({
          asked,
          reached,
          state: reached === 0 ? 'not_entered' : entered,
        });
      }
    },
    60_000,
  );
});
