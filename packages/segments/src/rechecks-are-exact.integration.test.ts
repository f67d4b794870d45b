import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import {
  casesOfRun,
  connectTestDatabase,
  createTestApplication,
  seedsOfRun,
} from '@tidings/testing';
import { isLiveCondition } from './live-conditions.ts';
import { selectMemberships } from './members.ts';
import { createCondition } from './testing/create-condition.ts';
import { createPopulation } from './testing/create-population.ts';
import { evaluate } from './testing/evaluate.ts';
import { insertPopulation } from './testing/insert-population.ts';
import type { Person, Population } from './testing/population.ts';
import { createRandom } from './testing/random.ts';
import { DURATION_MS } from './testing/values.ts';

const NOW = Date.parse('2026-06-15T12:00:00.000Z');
const SEEDS = [20_260_808, 20_260_909, 20_261_010];
const USERS = 150;
const CONDITIONS = casesOfRun({ usual: 200, all: 500 });
/** Conditions of one test, so that a failure names few. */
const CONDITIONS_PER_TEST = 100;
/** Instants at which each person is asked again. */
const INSTANTS = 8;
const FAR_MS = 200 * 86_400_000;

const db = connectTestDatabase();
afterAll(() => db.close());

describe.each(seedsOfRun(SEEDS))('with the population of seed %i', (seed) => {
  let of: Population;
  const random = createRandom(seed);
  /** Rechecks, and those at whose instant the answer is another. */
  let [rechecks, changes] = [0, 0];

  beforeAll(async () => {
    const { applicationId } = await createTestApplication(db);
    of = createPopulation(random, { applicationId, now: NOW, count: USERS });
    await insertPopulation(db, of);
    await db.sql.query('analyze users, events, deliveries');
  }, 60_000);

  test.each(Array.from({ length: CONDITIONS / CONDITIONS_PER_TEST }, (_, index) => index))(
    `no answer of ${CONDITIONS_PER_TEST} generated conditions changes before its recheck (%i)`,
    async () => {
      const wrong: unknown[] = [];
      for (let index = 0; index < CONDITIONS_PER_TEST; index += 1)
        wrong.push(...(await findEarlier(drawLive())));

      expect(wrong).toEqual([]);
    },
    120_000,
  );

  test('a tenth of the rechecks and more finds another answer: they are no polling', () => {
    expect(rechecks).toBeGreaterThan(CONDITIONS);
    expect(changes / rechecks).toBeGreaterThan(0.1);
  });

  function drawLive(): Condition {
    for (;;) {
      const condition = createCondition(random, of);
      if (isLiveCondition(condition, of)) return condition;
    }
  }

  /** Answers that are wrong, and those that change before they are to be asked again. */
  async function findEarlier(condition: Condition): Promise<unknown[]> {
    const context = { ...of, eventRetentionDays: null, deliveryRetentionDays: null };
    const persons = of.persons.filter(({ registeredAt }) => registeredAt !== null);
    const found = new Map(
      (
        await selectMemberships(
          db.sql,
          { context, condition, now: NOW },
          persons.map(({ id }) => id),
        )
      ).map((each) => [each.userId, each]),
    );
    return persons.flatMap((person): unknown[] => {
      const { isMember, recheckAt } = found.get(person.id) ?? { isMember: null, recheckAt: null };
      const at = (instant: number): boolean => evaluate(condition, person, { ...of, now: instant });
      if (isMember !== at(NOW)) return [{ condition, person: person.id, isMember }];
      if (recheckAt !== null) {
        rechecks += 1;
        if (at(recheckAt) !== isMember) changes += 1;
      }
      if (recheckAt !== null && recheckAt <= NOW) return [{ condition, recheckAt }];
      const until = recheckAt === null ? NOW + FAR_MS : recheckAt - 1;
      const changed = instantsUntil(person, until).find((instant) => at(instant) !== isMember);
      return changed === undefined
        ? []
        : [{ condition, person: person.id, isMember, recheckAt, changed }];
    });
  }

  /** The last one, and some where conditions like to change. */
  function instantsUntil(person: Person, until: number): number[] {
    const times = [
      ...person.events.flatMap(({ time, attributes }) => [
        time,
        ...(typeof attributes?.['at'] === 'string' ? [Date.parse(attributes['at'])] : []),
      ]),
      ...person.messages.flatMap(({ sent, delivered }) => [sent, delivered]),
      Date.parse(String(person.customAttributes['lastOrder'])),
      Number(person.fields['birthday']),
      person.registeredAt,
    ].filter((time) => time !== null && Number.isFinite(time)) as number[];
    const edges = times
      .flatMap((time) =>
        [0, ...DURATION_MS].flatMap((ms) => [time + ms, time + ms + 1, time - ms, time - ms + 1]),
      )
      .filter((instant) => instant > NOW && instant <= until);
    return [until, ...(edges.length === 0 ? [] : random.some(edges, INSTANTS))].filter(
      (instant) => instant > NOW,
    );
  }
});
