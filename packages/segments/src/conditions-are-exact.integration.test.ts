/** @slow */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import {
  casesOfRun,
  connectTestDatabase,
  createTestApplication,
  seedsOfRun,
} from '@tidings/testing';
import { createQuestionQueue, QUESTION_DEFAULTS } from './question-queue.ts';
import { explainMembership } from './explain.ts';
import { estimateMembers } from './estimate.ts';
import { listMembers, selectMembers } from './members.ts';
import { readCondition } from './read-condition.ts';
import { createCondition } from './testing/create-condition.ts';
import { createPopulation } from './testing/create-population.ts';
import { evaluate } from './testing/evaluate.ts';
import { listOpen } from './testing/list-open.ts';
import { insertPopulation } from './testing/insert-population.ts';
import type { Population } from './testing/population.ts';
import { createRandom } from './testing/random.ts';

const NOW = Date.parse('2026-06-15T12:00:00.000Z');
const SEEDS = [20_260_101, 20_260_202, 20_260_303, 20_260_404];
const USERS = 1_500;
const CONDITIONS = casesOfRun({ usual: 100, all: 500 });
/** Conditions of one test, so that a failure names few. */
const CONDITIONS_PER_TEST = 50;
const GIVEN = 120;
const EXPLAINED = 2;

const db = connectTestDatabase();
const questions = createQuestionQueue(db, {
  ...QUESTION_DEFAULTS,
  timeoutMs: 60_000,
  workMemMiB: 64,
});
afterAll(() => db.close());

describe.each(seedsOfRun(SEEDS))('with the population of seed %i', (seed) => {
  let of: Population;
  /** Conditions that are true of some users and not of others. */
  let telling = 0;
  const random = createRandom(seed);

  beforeAll(async () => {
    const { applicationId } = await createTestApplication(db);
    of = createPopulation(random, { applicationId, now: NOW, count: USERS });
    await insertPopulation(db, of);
    await db.sql.query('analyze users, events, devices, deliveries');
  }, 60_000);

  test.each(Array.from({ length: CONDITIONS / CONDITIONS_PER_TEST }, (_, index) => index))(
    `${CONDITIONS_PER_TEST} generated conditions have the members of a plain evaluation (%i)`,
    async () => {
      for (let index = 0; index < CONDITIONS_PER_TEST; index += 1) {
        await compareAll(drawCondition(), of);
      }
    },
    120_000,
  );

  test('most of these conditions tell users apart', () => {
    expect(telling).toBeGreaterThan(CONDITIONS * 0.7);
  });

  /** A second one in place of one that is true, or false, of all users: those show less. */
  function drawCondition(): Condition {
    const first = createCondition(random, of);
    const results = new Set(of.persons.map((person) => evaluate(first, person, of)));
    return results.size === 2 ? first : createCondition(random, of);
  }

  async function compareAll(condition: Condition, population: Population): Promise<void> {
    const context = { ...population, eventRetentionDays: null, deliveryRetentionDays: null };
    const read = readCondition(JSON.parse(JSON.stringify(condition)), context);
    expect({ condition, read }).toMatchObject({ read: { ok: true } });
    const question = { context, condition, now: NOW };
    const registered = population.persons.filter(({ registeredAt }) => registeredAt !== null);
    const expected = registered.filter((person) => evaluate(condition, person, population));

    if (expected.length > 0 && expected.length < registered.length) telling += 1;
    const all = await questions.ask(population.applicationId, (sql) =>
      listMembers(sql, { ...question, memoryMiB: 16 }, { limit: USERS + 1 }),
    );
    expect({ condition, members: all }).toEqual({
      condition,
      members: expected.map(({ customUserId }) => String(customUserId)).toSorted(),
    });

    const asked = random.some(population.persons, GIVEN);
    const given = await selectMembers(
      db.sql,
      question,
      asked.map(({ id }) => id),
    );
    expect({ condition, given: [...given].toSorted() }).toEqual({
      condition,
      given: [
        ...new Set(asked.filter((each) => expected.includes(each)).map(({ id }) => id)),
      ].toSorted(),
    });

    const { stillOpen } = await estimateMembers(db.sql, question, {
      customUserIds: registered.map(({ customUserId }) => String(customUserId)),
      registered: registered.length,
      isAll: true,
    });
    expect({ condition, stillOpen }).toEqual({
      condition,
      stillOpen: listOpen(condition).map(({ pointer, isOpen }) => ({
        pointer,
        count: expected.filter((person) => isOpen(person, population)).length,
      })),
    });

    for (const person of random.some(registered, EXPLAINED)) {
      const explained = await explainMembership(db.sql, question, {
        customUserId: String(person.customUserId),
      });
      expect({ condition, isMember: explained?.isMember }).toEqual({
        condition,
        isMember: expected.includes(person),
      });
    }
  }
});
