import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestApplication, randomFrom, seedsOfRun } from '@tidings/testing';
import {
  generatePeople,
  meantBy,
  type DoneEvent,
  type GeneratedPerson,
} from '../../testing/generated-people.ts';
import { plainStep } from '../../testing/plain-calendar.ts';
import { startTestApi } from '../../testing/test-api.ts';

const SEEDS = Array.from({ length: 8 }, (_, index) => 20_260_311 + index);
const seeds = seedsOfRun(SEEDS);
/** 200 in all; thirty in a run of some seeds. */
const QUESTIONS = seeds.length === SEEDS.length ? 25 : 10;
const DAY = 86_400_000;
const NOW = Date.now();
const ZONES = ['Asia/Kathmandu', 'Australia/Lord_Howe', 'Europe/Berlin', 'Asia/Kolkata', 'UTC'];
/** Clocks change in the first; the second ends now. */
const RANGES = [
  [Date.parse('2026-03-20T00:00:00.000Z'), Date.parse('2026-04-20T00:00:00.000Z')],
  [NOW - 31 * DAY, NOW - 60_000],
] as const;
const EDGES = [
  '2026-03-29T18:15Z',
  '2026-04-05T13:30Z',
  '2026-03-29T22:00Z',
  '2026-03-31T22:00Z',
  '2026-04-01T00:00Z',
  '2026-03-31T18:30Z',
  '2026-03-29T23:00Z',
].map((text) => Date.parse(text));

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

type Named = {
  readonly event: string;
  readonly where?: readonly { readonly attribute: 'price'; readonly gt: number }[];
};
type Question = {
  readonly start: Named;
  readonly return?: Named;
  readonly from: number;
  readonly to: number;
  readonly period: 'day' | 'week' | 'month';
  readonly periods: number;
  readonly timeZone: string;
  readonly segment?: 'german';
  readonly first?: 'ever' | 'range';
  readonly unbounded?: boolean;
};
type Cohort = {
  readonly at: number;
  readonly users: number;
  readonly returned: readonly (number | null)[];
  readonly isPartial: readonly boolean[];
};

describe.each(seeds)('of people of seed %i', (seed) => {
  let people: readonly GeneratedPerson[] = [];
  let headers: Readonly<Record<string, string>> = {};
  const next = randomFrom(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(values: readonly T[]): T => values[integer(values.length)] as T;
  const [from, to] = RANGES[seed % 2] ?? RANGES[0];

  beforeAll(async () => {
    const { applicationId } = await createTestApplication(api.db);
    headers = { ...api.asAdmin, 'X-Application-Id': applicationId };
    people = await generatePeople(api.db, {
      applicationId,
      seed,
      count: 110,
      from,
      to,
      edges: from === RANGES[0][0] ? EDGES : [NOW - 60_000, NOW + DAY],
    });
    await api.request('PUT', 'segments/german', {
      headers,
      body: { name: 'German', condition: { field: 'country', in: ['DE', 'AT'] } },
    });
  }, 60_000);

  const drawNamed = (): Named => ({
    event: pick(['viewd', 'seenx', 'cartd']),
    ...(next() < 0.25 && { where: [{ attribute: 'price', gt: 3 }] }),
  });
  const drawQuestion = (): Question => {
    const span = 2 * DAY + integer(27 * DAY);
    const begin = from + integer(to - from - span + 1);
    return {
      start: drawNamed(),
      ...(next() < 0.7 && { return: drawNamed() }),
      from: begin,
      to: begin + span,
      period: pick(['day', 'week', 'month']),
      periods: pick([1, 3, 8, 35, 60]),
      timeZone: pick(ZONES),
      ...(next() < 0.3 && { segment: 'german' }),
      ...(next() < 0.3 && { first: pick(['ever', 'range']) }),
      ...(next() < 0.3 && { unbounded: true }),
    };
  };
  const matches = ({ event, where }: Named, done: DoneEvent): boolean =>
    meantBy(done.slug) === meantBy(event) &&
    (where ?? []).every(
      ({ gt }) =>
        (typeof done.price === 'number' || typeof done.price === 'bigint') && done.price > gt,
    );

  /** In which period after their first start a person came back, if there is one. */
  function returnsOf(
    { start, return: returns = start, ...question }: Question,
    person: GeneratedPerson,
    asOf: number,
  ): { readonly cohort: number; readonly cells: ReadonlySet<number> } | null {
    if (!person.isRegistered) return null;
    if (question.segment !== undefined && !['DE', 'AT'].includes(String(person.country)))
      return null;
    const periodOf = (at: number): number => plainStep(at, question.period, question.timeZone);
    const known = person.events.filter(({ time }) => time <= asOf);
    const starts = known.filter((done) => matches(start, done)).map(({ time }) => time);
    const first = Math.min(...starts.filter((time) => time >= question.from && time < question.to));
    if (first === Number.POSITIVE_INFINITY) return null;
    if (question.first === 'ever' && starts.some((time) => time < question.from)) return null;
    const cells = known
      .filter((done) => matches(returns, done) && done.time > first)
      .map(({ time }) => periodOf(time) - periodOf(first));
    return { cohort: periodOf(first), cells: new Set(cells) };
  }
  const hasReturned = (question: Question, cells: ReadonlySet<number>, cell: number): boolean =>
    question.unbounded === true ? [...cells].some((each) => each >= cell) : cells.has(cell);

  const post = async (path: string, body: object) => {
    const answer = await api.request('POST', path, { headers, body });
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
    return answer.body;
  };

  test(`${QUESTIONS} questions have the numbers of plain code, and their lists the people`, async () => {
    let telling = 0;
    for (let index = 0; index < QUESTIONS; index += 1) {
      const question = drawQuestion();
      const { cohorts, asOf, partialFrom } = (await post('retention/result', question)) as {
        cohorts: Cohort[];
        asOf: number;
        partialFrom: number | null;
      };
      const periodOf = (at: number): number => plainStep(at, question.period, question.timeZone);
      const outcomes = people.flatMap((person) => {
        const returns = returnsOf(question, person, asOf);
        return returns === null ? [] : [{ person, ...returns }];
      });
      const first = periodOf(question.from);
      const expected = Array.from({ length: periodOf(question.to - 1) - first + 1 }, (_, at) => {
        const own = outcomes.filter(({ cohort }) => cohort === first + at);
        const begun = (cell: number) => first + at + cell <= periodOf(asOf);
        return {
          period: first + at,
          users: own.length,
          returned: Array.from({ length: question.periods }, (_cell, cell) =>
            begun(cell)
              ? own.filter(({ cells }) => hasReturned(question, cells, cell)).length
              : null,
          ),
          isPartial: Array.from(
            { length: question.periods },
            (_cell, cell) => first + at + cell === periodOf(asOf),
          ),
        };
      });

      expect({
        question,
        cohorts: cohorts.map(({ at, ...rest }) => ({ period: periodOf(at), ...rest })),
      }).toEqual({ question, cohorts: expected });
      // Each begins with its period.
      expect(cohorts.filter(({ at }) => periodOf(at) === periodOf(at - 1))).toEqual([]);
      expect(partialFrom === null || periodOf(partialFrom) === periodOf(asOf)).toBe(true);
      if (expected.some(({ returned }) => returned.some((each) => (each ?? 0) > 0))) telling += 1;

      const cohort = pick(cohorts);
      for (const cell of [undefined, 0, integer(question.periods)]) {
        const { items } = (await post('retention/users?limit=200', {
          ...question,
          cohort: cohort.at,
          ...(cell !== undefined && { cell }),
        })) as { items: { customUserId: string }[] };
        const named = outcomes
          .filter((each) => each.cohort === periodOf(cohort.at))
          .filter(({ cells }) => cell === undefined || hasReturned(question, cells, cell))
          .filter(() => cell === undefined || periodOf(cohort.at) + cell <= periodOf(asOf));

        expect({ question, cell, people: items.map(({ customUserId }) => customUserId) }).toEqual({
          question,
          cell,
          people: named.map(({ person }) => String(person.customUserId)).toSorted(),
        });
        expect(items.length).toBe(cell === undefined ? cohort.users : (cohort.returned[cell] ?? 0));
      }
    }
    expect(telling).toBeGreaterThan(QUESTIONS / 2);
  }, 300_000);
});
