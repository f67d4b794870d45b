import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import { createTestApplication, randomFrom, seedsOfRun } from '@tidings/testing';
import {
  generatePeople,
  meantBy,
  PRICES,
  type DoneEvent,
  type GeneratedPerson,
} from '../../testing/generated-people.ts';
import { plainStep, type PlainStep } from '../../testing/plain-calendar.ts';
import { startTestApi } from '../../testing/test-api.ts';

const SEEDS = Array.from({ length: 8 }, (_, index) => 20_260_301 + index);
const seeds = seedsOfRun(SEEDS);
/** 200 in all; thirty in a run of some seeds. */
const TRENDS = seeds.length === SEEDS.length ? 25 : 10;
const DAY = 86_400_000;
const QUARTER = 900_000;
/** Clocks change in this time: Berlin on 29 March, Lord Howe on 5 April. */
const FROM = Date.parse('2026-03-20T00:00:00.000Z');
const TO = Date.parse('2026-04-20T00:00:00.000Z');
const ZONES = ['Asia/Kathmandu', 'Australia/Lord_Howe', 'Europe/Berlin', 'Asia/Kolkata', 'UTC'];
/** Midnights of these zones. */
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

type Series = {
  readonly event: unknown;
  readonly measure: 'events' | 'users' | { readonly sum: string };
  readonly where?: readonly {
    readonly attribute: 'price';
    readonly gt?: number;
    readonly is?: string;
  }[];
};
type Trend = {
  readonly series: readonly Series[];
  readonly from: number;
  readonly to: number;
  readonly step: PlainStep;
  readonly timeZone: string;
  readonly segment?: 'german';
  readonly breakdown?:
    | { readonly attribute: 'price' }
    | { readonly field: 'country' }
    | { readonly userAttribute: 'plan' };
};
/** It has groups beyond the ten that are shown, of any people. */
const OF_MANY_GROUPS: Trend = {
  series: [{ event: 'viewd', measure: 'events' }],
  from: FROM,
  to: TO,
  step: 'day',
  timeZone: 'UTC',
  breakdown: { attribute: 'price' },
};
type Counts = {
  readonly points: readonly { readonly at: number; readonly value: number }[];
  readonly total: number;
};
type Counted = Counts & {
  readonly groups?: readonly (Counts & { readonly value: unknown })[];
  readonly othersGroups?: number;
  readonly others?: Counts | null;
};
type Did = { readonly person: GeneratedPerson; readonly event: DoneEvent };

describe.each(seeds)('of people of seed %i', (seed) => {
  let people: readonly GeneratedPerson[] = [];
  let headers: Readonly<Record<string, string>> = {};
  const next = randomFrom(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(values: readonly T[]): T => values[integer(values.length)] as T;

  beforeAll(async () => {
    const { db } = api;
    const { applicationId } = await createTestApplication(db);
    headers = { ...api.asAdmin, 'X-Application-Id': applicationId };
    people = await generatePeople(db, {
      applicationId,
      seed,
      count: 110,
      from: FROM,
      to: TO,
      edges: EDGES,
    });
    await api.request('PUT', 'segments/german', {
      headers,
      body: { name: 'German', condition: { field: 'country', in: ['DE', 'AT'] } },
    });
  }, 60_000);

  const drawSeries = (): Series => {
    const isPaid = next() < 0.35;
    return {
      event: isPaid
        ? 'order'
        : pick(['viewd', 'seenx', 'cartd', { kind: 'action', name: 'name of cartd' }]),
      measure: isPaid
        ? pick(['users', 'events', { sum: 'EUR' }, { sum: 'JPY' }])
        : pick(['users', 'events']),
      ...(!isPaid &&
        next() < 0.3 && {
          where: [
            pick([
              { attribute: 'price', gt: 3 },
              { attribute: 'price', is: '50' },
            ] as const),
          ],
        }),
    };
  };
  const drawTrend = (): Trend => {
    const timeZone = pick(ZONES);
    const isLong = next() < 0.8;
    const span = isLong ? 3 * DAY + integer(26 * DAY) : integer(3 * DAY) + QUARTER;
    const from = FROM + integer(TO - FROM - span);
    return {
      series: Array.from({ length: 1 + integer(3) }, drawSeries),
      from,
      to: from + span,
      // Where half an hour comes twice, hours have a rule of their own, which charts show.
      step: pick(
        timeZone === 'Australia/Lord_Howe'
          ? (['day', 'week', 'month'] as const)
          : (['hour', 'day', 'week', 'month'] as const),
      ),
      timeZone,
      ...(next() < 0.3 && { segment: 'german' }),
      ...(next() < 0.6 && {
        breakdown: pick([
          { attribute: 'price' },
          { field: 'country' },
          { userAttribute: 'plan' },
        ] as const),
      }),
    };
  };

  const post = async (path: string, body: object) => {
    const answer = await api.request('POST', path, { headers, body: stringifyExactJson(body) });
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
    return parseExactJson(answer.text) as Record<string, unknown>;
  };
  const isOf = (trend: Trend, series: Series, { person, event }: Did): boolean => {
    const named = typeof series.event === 'string' ? series.event : 'cartd';
    if (meantBy(event.slug) !== meantBy(named)) return false;
    if (event.time >= Math.ceil(trend.to / QUARTER) * QUARTER) return false;
    const stepOf = (at: number) => plainStep(at, trend.step, trend.timeZone);
    if (stepOf(event.time) < stepOf(trend.from)) return false;
    if (
      trend.segment !== undefined &&
      !(person.isRegistered && ['DE', 'AT'].includes(String(person.country)))
    )
      return false;
    if (series.measure === 'users' && !person.isRegistered) return false;
    if (typeof series.measure === 'object' && event.currency !== series.measure.sum) return false;
    return (series.where ?? []).every(({ gt, is }) =>
      gt === undefined
        ? event.price === is
        : (typeof event.price === 'number' || typeof event.price === 'bigint') && event.price > gt,
    );
  };
  const didOf = (trend: Trend, series: Series): readonly Did[] =>
    people
      .flatMap((person) => person.events.map((event) => ({ person, event })))
      .filter((did) => isOf(trend, series, did));
  const numberOf = ({ measure }: Series, some: readonly Did[]): number => {
    if (measure === 'events') return some.length;
    if (measure === 'users') return new Set(some.map(({ person }) => person)).size;
    return some.reduce((sum, { event }) => sum + (event.revenue ?? 0), 0);
  };
  /** JSON of the group, or null. */
  const groupOf = ({ breakdown }: Trend, { person, event }: Did): string | null => {
    if (breakdown === undefined) return null;
    const value =
      'attribute' in breakdown ? event.price : 'field' in breakdown ? person.country : person.plan;
    return value === null ? null : stringifyExactJson(value);
  };
  const largestOf = (trend: Trend, series: Series, did: readonly Did[]): string[] =>
    [...Map.groupBy(did, (each) => groupOf(trend, each))]
      .flatMap(([value, of]) => (value === null ? [] : [{ value, n: numberOf(series, of) }]))
      .toSorted((a, b) => b.n - a.n || (jsonbText(a.value) < jsonbText(b.value) ? -1 : 1))
      .map(({ value }) => value);

  /** The numbers of a part, as the starts of points of the answer say. */
  const countsOf = (
    trend: Trend,
    series: Series,
    { did, starts }: { readonly did: readonly Did[]; readonly starts: readonly number[] },
  ): Counts => {
    const stepOf = (at: number) => plainStep(at, trend.step, trend.timeZone);
    const bySteps = Map.groupBy(did, ({ event }) => stepOf(event.time));
    return {
      points: starts.map((at) => ({
        at,
        value: numberOf(series, bySteps.get(stepOf(at)) ?? []),
      })),
      total: numberOf(series, did),
    };
  };
  const expectedOf = (trend: Trend, series: Series, starts: readonly number[]): Counted => {
    const did = didOf(trend, series);
    const of = (isIn: (group: string | null) => boolean): Counts =>
      countsOf(trend, series, { did: did.filter((each) => isIn(groupOf(trend, each))), starts });
    if (trend.breakdown === undefined) return of(() => true);
    const all = largestOf(trend, series, did);
    const shown = all.slice(0, 10);
    return {
      ...of(() => true),
      groups: [
        ...shown.map((value) => ({
          value: parseExactJson(value),
          ...of((group) => group === value),
        })),
        { value: null, ...of((group) => group === null) },
      ],
      othersGroups: all.length - shown.length,
      others:
        all.length === shown.length
          ? null
          : of((group) => group !== null && !shown.includes(group)),
    };
  };

  test(`${TRENDS} trends have the numbers of plain code, and their lists the people`, async () => {
    let telling = 0;
    let others = 0;
    for (let index = 0; index < TRENDS; index += 1) {
      const trend = index === 0 ? OF_MANY_GROUPS : drawTrend();
      const { series: answered, partialFrom } = (await post('trends/result', trend)) as {
        series: Counted[];
        partialFrom: number | null;
      };
      const starts = answered[0]?.points.map(({ at }) => at) ?? [];
      const steps = starts.map((at) => plainStep(at, trend.step, trend.timeZone));

      // Each is the first instant of its step; none is left out.
      expect(
        starts.map(
          (at) =>
            plainStep(at - 1, trend.step, trend.timeZone) ===
            plainStep(at, trend.step, trend.timeZone),
        ),
      ).not.toContain(true);
      expect(steps[0]).toBe(plainStep(trend.from, trend.step, trend.timeZone));
      expect(steps.at(-1)).toBe(plainStep(trend.to - 1, trend.step, trend.timeZone));
      expect(starts.at(-1)).toBeGreaterThanOrEqual(partialFrom ?? starts.at(-1) ?? 0);
      for (const [at, series] of trend.series.entries()) {
        const { outside, byArrival, countedFrom, ...counted } = (answered[at] ?? {}) as Counted &
          Record<string, unknown>;
        expect({ trend, series, counted }).toEqual({
          trend,
          series,
          counted: expectedOf(trend, series, starts),
        });
        expect([outside ?? 0, byArrival ?? 0, countedFrom ?? null]).toEqual([0, 0, null]);
        if (counted.total > 3) telling += 1;
        if ((counted.others ?? null) !== null) others += 1;
      }
      await expectLists(trend, starts);
    }
    expect(telling).toBeGreaterThan(TRENDS / 2);
    expect(others).toBeGreaterThan(0);
  }, 300_000);

  async function expectLists(trend: Trend, starts: readonly number[]): Promise<void> {
    const index = integer(trend.series.length);
    const series = trend.series[index] as Series;
    const did = didOf(trend, series).filter(({ person }) => person.isRegistered);
    const at = pick(starts);
    const largest = largestOf(trend, series, didOf(trend, series));
    const group = pick([...largest, null]);
    const isAt = ({ event }: Did) =>
      plainStep(event.time, trend.step, trend.timeZone) ===
      plainStep(at, trend.step, trend.timeZone);
    const isIn = (each: Did) => groupOf(trend, each) === group;
    const isOther = (each: Did) => {
      const own = groupOf(trend, each);
      return own !== null && !largest.slice(0, 10).includes(own);
    };
    const numbers: readonly (readonly [object, (did: Did) => boolean])[] = [
      [{}, () => true],
      [{ at }, isAt],
      ...(trend.breakdown === undefined
        ? []
        : ([
            [{ group: group === null ? null : parseExactJson(group) }, isIn],
            [
              { at, group: group === null ? null : parseExactJson(group) },
              (each: Did) => isAt(each) && isIn(each),
            ],
            ...(largest.length > 10 ? [[{ others: true }, isOther] as const] : []),
          ] as const)),
    ];
    for (const [number, isCounted] of numbers) {
      const { items } = (await post('trends/users?limit=200', { ...trend, index, ...number })) as {
        items: { customUserId: string }[];
      };
      const expected = new Set(did.filter(isCounted).map(({ person }) => person.customUserId));

      expect({ trend, number, people: items.map(({ customUserId }) => customUserId) }).toEqual({
        trend,
        number,
        people: [...expected].toSorted(),
      });
    }
  }

  test.each(['viewd', 'order'])('%s without filters has the numbers of its chart', async (slug) => {
    const span = { from: FROM + 5 * 3_600_000, to: TO - 7 * 3_600_000 };
    for (const step of ['day', 'week', 'month']) {
      const { series, timeZone } = (await post('trends/result', {
        series: [{ event: slug, measure: 'events' }],
        step,
        ...span,
      })) as { series: Counted[]; timeZone: string };
      const { body } = await api.request<{
        items: { at: number; events: number }[];
        timeZone: string;
        outside: number;
      }>('GET', `definitions/${slug}/chart?step=${step}&from=${span.from}&to=${span.to}`, {
        headers,
      });

      expect(series[0]).toMatchObject({
        points: body.items.map(({ at, events }) => ({ at, value: events })),
        outside: body.outside,
      });
      expect(timeZone).toBe(body.timeZone);
    }
  });
});

/** Postgres writes a space after a colon and a comma. */
const jsonbText = (json: string): string => json.replaceAll(':', ': ').replaceAll(',', ', ');

test('values of groups are more than are shown', () => {
  expect(PRICES.length).toBeGreaterThan(11);
});
