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
  type FoundBranch,
  type Person,
  type PlainRun,
} from '@tidings/automation-rehearsal/testing';
import { readAutomation } from '@tidings/automations/automations';
import { allNodes } from '@tidings/contracts/automations/definition';
import { decideSplit } from '@tidings/decisions/splits';
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
    // Not an instant at which something happens.
    const foundAt = from + (HOURS / 2) * HOUR_MS + HOUR_MS / 4;
    const found = new Map<string, Map<string, FoundBranch>>();

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
      const plainly = (better: ReadonlyMap<string, FoundBranch>): PlainRun[] =>
        people
          .flatMap((person) => evaluate(definition, person, { from, to, found: better }))
          .toSorted(byPlace);
      const expected = plainly(found.get(slug) ?? new Map());
      runs += expected.length;
      const said = JSON.stringify(definition);
      expect([said, (engine.get(slug) ?? []).toSorted(byPlace)]).toEqual([said, expected]);
      // A rehearsal divides by weight all the time.
      expect([said, (await rehearse(slug)).toSorted(byPlace)]).toEqual([said, plainly(new Map())]);
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
        if (at > foundAt && found.size === 0) {
          await clock.set(foundAt);
          await findBranches();
        }
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

    /** The better branches of all splits that look for one: from now on everyone takes them. */
    async function findBranches(): Promise<void> {
      for (const [slug, definition] of definitions) {
        const own = new Map<string, FoundBranch>();
        found.set(slug, own);
        const automation = await readAutomation(db.sql, { applicationId: rig.applicationId, slug });
        for (const node of allNodes(definition.nodes)) {
          if (automation === null || !('winner' in node)) continue;
          const branch = Math.floor(random() * 2);
          const figures = [0, 1].map((place) => ({ hits: place === branch ? 90 : 10, of: 100 }));
          await decideSplit(
            db.sql,
            {
              applicationId: rig.applicationId,
              automationId: automation.id,
              version: 1,
              node: node.id,
            },
            figures,
          );
          own.set(node.id, { branch, at: foundAt });
        }
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
