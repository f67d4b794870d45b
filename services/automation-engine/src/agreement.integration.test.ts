import { afterAll, expect, test } from '@jest/globals';
import { readRehearsal, requestRehearsal } from '@tidings/automation-rehearsal/rehearsals';
import { runNextRehearsal } from '@tidings/automation-rehearsal/run-rehearsal';
import {
  byPlace,
  createAutomation,
  createHistory,
  evaluate,
  HOUR_MS,
  toPlain,
  withoutRecheck,
  type Person,
  type PlainRun,
} from '@tidings/automation-rehearsal/testing';
import { systemClock } from '@tidings/platform';
import { actionMessage, randomFrom, seedsOfRun, userMessage } from '@tidings/testing';
import { nextDue, readEngineRuns, stepEngine } from './testing/agreement/engine-runs.ts';
import { createMovedClock } from './testing/agreement/moved-clock.ts';
import { automationRig } from './testing/rig.ts';

const clock = await createMovedClock();
afterAll(() => clock.close());
const { db } = clock;

/** All of them in the nightly run. */
const SEEDS = Array.from({ length: 20 }, (_each, index) => index + 1);
const OF_SEED = 10;
const HOURS = 60;

/** Otherwise one, another each day. */
const seeds = seedsOfRun(SEEDS);

test.each(seeds.length === SEEDS.length ? seeds : seeds.slice(-1))(
  'the engine, the rehearsal and a plain evaluator agree on 10 definitions, seed %i',
  async (seed) => {
    const random = randomFrom(seed);
    const from = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 6 * 24 * HOUR_MS;
    const to = from + (HOURS + 30) * HOUR_MS;
    const people = createHistory(random, { from, hours: HOURS, people: 6 });
    await clock.set(from - HOUR_MS);
    const rig = await automationRig(db);
    await rig.define('cartd', 'order', 'view');
    for (const person of people) if (person.registeredAt < from) await register(person);
    await clock.set(from - 1);
    const definitions = new Map(
      Array.from({ length: OF_SEED }, (_each, index) => {
        const definition = createAutomation(random);
        return [`a${index}`, index % 3 === 0 ? withoutRecheck(definition) : definition] as const;
      }),
    );
    for (const [slug, definition] of definitions) await rig.activate(definition, slug);

    async function register({ customUserId, registeredAt, plan, email }: Person): Promise<void> {
      await rig.applyUsers(
        rig.record({
          customUserId,
          receivedAt: registeredAt,
          messages: [
            userMessage({
              time: registeredAt,
              customAttributes: { plan },
              ...(email !== null && { email }),
            }),
          ],
        }),
      );
    }

    await runEngine();
    await clock.set(to);
    const { rows } = await db.sql.query<{ id: string; custom_user_id: string }>(
      'select id, custom_user_id from users where application_id = $1 and registered_at is not null',
      [rig.applicationId],
    );
    for (const { id, custom_user_id: customUserId } of rows) {
      const person = people.find((each) => each.customUserId === customUserId);
      if (person !== undefined) person.userId = id;
    }
    const engine = await readEngineRuns(db, rig.applicationId);
    expect(rig.failures).toEqual([]);
    let runs = 0;
    for (const [slug, definition] of definitions) {
      const plain = people.flatMap((person) => evaluate(definition, person, { from, to }));
      runs += plain.length;
      const expected = plain.toSorted(byPlace);
      const said = JSON.stringify(definition);
      expect([said, (engine.get(slug) ?? []).toSorted(byPlace)]).toEqual([said, expected]);
      expect([said, (await rehearse(slug)).toSorted(byPlace)]).toEqual([said, expected]);
    }
    expect(runs).toBeGreaterThan(OF_SEED);

    async function runEngine(): Promise<void> {
      const events = people
        .flatMap((person) => person.deeds.map((deed) => ({ person, deed })))
        .toSorted((one, other) => one.deed.receivedAt - other.deed.receivedAt);
      const late = people.filter(({ registeredAt }) => registeredAt >= from);
      for (;;) {
        const at = Math.min(
          events[0]?.deed.receivedAt ?? Infinity,
          ...late.map(({ registeredAt }) => registeredAt),
          (await nextDue(db)) ?? Infinity,
        );
        if (at > to) return;
        await clock.set(at);
        while (late.some(({ registeredAt }) => registeredAt <= at)) {
          const next = late.findIndex(({ registeredAt }) => registeredAt <= at);
          for (const person of late.splice(next, 1)) await register(person);
        }
        while (events[0] !== undefined && events[0].deed.receivedAt <= at) {
          const { person, deed } = events.shift() as (typeof events)[number];
          await rig.applyEvents(
            rig.record({
              customUserId: person.customUserId,
              receivedAt: deed.receivedAt,
              keyType: deed.isProved ? 'server' : 'client',
              messages: [
                actionMessage({
                  id: deed.messageId,
                  customName: deed.name,
                  time: deed.time,
                  attributes: deed.attributes,
                }),
              ],
            }),
          );
        }
        await stepEngine(db, rig.observer);
      }
    }

    async function rehearse(slug: string): Promise<PlainRun[]> {
      const { applicationId } = rig;
      const asked = await requestRehearsal(db, { applicationId, slug, from, to, by: 'test' });
      if (typeof asked === 'string' || 'errors' in asked)
        throw new Error(`not rehearsed: ${JSON.stringify(asked)}`);
      await runNextRehearsal(db, { clock: systemClock, signal: new AbortController().signal });
      const found = await readRehearsal(db.sql, { applicationId, ...asked });
      if (found?.status !== 'completed') throw new Error('the rehearsal has not completed');
      return found.traces.map(toPlain);
    }
  },
  600_000,
);
