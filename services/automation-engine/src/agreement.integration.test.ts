import { expect, test } from '@jest/globals';
import { readRehearsal, requestRehearsal } from '@tidings/automation-rehearsal/rehearsals';
import { runNextRehearsal } from '@tidings/automation-rehearsal/run-rehearsal';
import {
  AGREED_SEGMENTS,
  byPlace,
  createAutomation,
  createHistory,
  evaluate,
  HOUR_MS,
  QUIET,
  toPlain,
  withoutRecheck,
  type Deed,
  type FoundBranch,
  type Person,
  type PlainRun,
  type Words,
} from '@tidings/automation-rehearsal/testing';
import { readAutomation } from '@tidings/automations/automations';
import { allNodes } from '@tidings/contracts/automations/definition';
import { decideSplit } from '@tidings/decisions/splits';
import { systemClock } from '@tidings/platform';
import { writeSegment } from '@tidings/segments/segments';
import { actionMessage, randomFrom, seedsOfRun, userMessage } from '@tidings/testing';
import { nextDue, readEngineRuns, runJobs, stepEngine } from './testing/agreement/engine-runs.ts';
import { createMovedClock, type MovedClock } from './testing/agreement/moved-clock.ts';
import { automationRig } from './testing/rig.ts';

/** All of them in the nightly run: 200 definitions that are rehearsed, and 200 with all words. */
const SEEDS = Array.from({ length: 20 }, (_each, index) => index + 1);
const OF_SEED = 10;
const HOURS = 60;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Otherwise of a quarter, another each day, every other one with either words. */
const seeds = seedsOfRun(SEEDS);
const quarter = seeds.filter((_each, no) => no % 2 === 1);
const seedsWith = (words: Words): readonly number[] =>
  seeds.length === SEEDS.length
    ? seeds
    : quarter.filter((_each, no) => (no % 2 === 0) === (words === 'rehearsed'));

test.each(seedsWith('rehearsed'))(
  'the engine, the rehearsal and a plain evaluator agree on 10 definitions, seed %i',
  (seed) => compareAll(seed, 'rehearsed'),
  600_000,
);

test.each(seedsWith('all'))(
  'the engine and a plain evaluator agree on 10 definitions of all words, seed %i',
  (seed) => compareAll(seed, 'all'),
  600_000,
);

const asIs = (run: PlainRun): PlainRun => run;

/** A throttle spaces messages by less than a millisecond here, and never by none. */
const toMinutes = (run: PlainRun): PlainRun => ({
  ...run,
  lines: run.lines.map((line) => {
    const [at = '', ...words] = line.split(' ');
    return [Math.floor(Number(at) / MINUTE_MS) * MINUTE_MS, ...words].join(' ');
  }),
});

async function compareAll(seed: number, words: Words): Promise<void> {
  const isRehearsed = words === 'rehearsed';
  const random = randomFrom(isRehearsed ? seed : 1_000 + seed);
  // Each seed has an hour of the day of its own, so that schedules fall on it at any time of a run.
  const from = Math.floor(Date.now() / DAY_MS) * DAY_MS - 6 * DAY_MS + (seed % 24) * HOUR_MS;
  const to = from + (HOURS + 30) * HOUR_MS;
  const span = { from, to };
  const people = createHistory(random, {
    from,
    hours: HOURS,
    people: 6,
    mayChange: !isRehearsed,
  });
  const clock = await createMovedClock();
  try {
    await compare(clock);
  } finally {
    await clock.close();
  }

  async function compare({ db, set }: MovedClock): Promise<void> {
    await set(from - HOUR_MS);
    const rig = await automationRig(db);
    const { applicationId } = rig;
    await rig.define('cartd', 'order', 'view');
    await db.sql.query('update applications set settings = settings || $2 where id = $1', [
      applicationId,
      { quietHours: { EMAIL: QUIET } },
    ]);
    for (const [slug, condition] of Object.entries(AGREED_SEGMENTS)) {
      const written = await writeSegment(db, {
        applicationId,
        slug,
        name: slug,
        condition,
        by: 'test',
      });
      if (typeof written === 'string' || 'errors' in written) throw new Error('no segment');
    }
    const changes = people
      .flatMap((person) => person.profiles.map((profile) => ({ person, ...profile })))
      .toSorted((one, other) => one.from - other.from);
    const events = people
      .flatMap((person) => person.deeds.map((deed) => ({ person, deed })))
      .toSorted((one, other) => one.deed.receivedAt - other.deed.receivedAt);
    await happen(from - HOUR_MS);
    await set(from);
    const definitions = new Map(
      Array.from({ length: OF_SEED }, (_each, index) => {
        const definition = createAutomation(random, words);
        return [`a${index}`, index % 3 === 0 ? withoutRecheck(definition) : definition] as const;
      }),
    );
    for (const [slug, definition] of definitions) await rig.activate(definition, slug);
    // Not an instant at which something happens.
    const foundAt = from + (HOURS / 2) * HOUR_MS + HOUR_MS / 8;
    const found = new Map<string, Map<string, FoundBranch>>();
    for (;;) {
      await runJobs(db, rig.observer);
      await stepEngine(db, rig.observer);
      const at = Math.min(
        events[0]?.deed.receivedAt ?? Infinity,
        changes[0]?.from ?? Infinity,
        (await nextDue(db)) ?? Infinity,
      );
      if (at > foundAt && found.size === 0) {
        await set(foundAt);
        await findBranches();
      }
      if (at > to) break;
      await set(at);
      await happen(at);
    }
    await set(to);
    const { rows } = await db.sql.query<{ id: string; custom_user_id: string }>(
      'select id, custom_user_id from users where application_id = $1 and registered_at is not null',
      [applicationId],
    );
    for (const { id, custom_user_id: customUserId } of rows) {
      const person = people.find((each) => each.customUserId === customUserId);
      if (person !== undefined) person.userId = id;
    }
    expect(rig.failures).toEqual([]);
    const engine = await readEngineRuns(db, applicationId);
    let runs = 0;
    for (const [slug, definition] of definitions) {
      const plainly = (better: ReadonlyMap<string, FoundBranch>): PlainRun[] =>
        people
          .flatMap((person) => evaluate(definition, person, { ...span, found: better }))
          .toSorted(byPlace);
      const expected = plainly(found.get(slug) ?? new Map());
      runs += expected.length;
      const said = JSON.stringify(definition);
      const done = (engine.get(slug) ?? []).map(
        definition.throttle === undefined ? asIs : toMinutes,
      );
      expect([said, done.toSorted(byPlace)]).toEqual([said, expected]);
      if (!isRehearsed) continue;
      // A rehearsal divides by weight all the time.
      expect([said, (await rehearse(slug)).toSorted(byPlace)]).toEqual([said, plainly(new Map())]);
    }
    expect(runs).toBeGreaterThan(OF_SEED);

    /** What people did, and what became of them, at an instant. */
    async function happen(at: number): Promise<void> {
      for (let [next] = changes; next !== undefined && next.from <= at; [next] = changes) {
        changes.shift();
        await change(next.person, next);
      }
      for (let [next] = events; next !== undefined && next.deed.receivedAt <= at; [next] = events) {
        events.shift();
        await act(next.person, next.deed);
      }
    }

    async function change(
      { customUserId, email, timeZone }: Person,
      { from: time, plan, endsOn, isUnsubscribed }: Person['profiles'][number],
    ): Promise<void> {
      if (isUnsubscribed && email !== null)
        await db.sql.query(
          `insert into suppressions (application_id, channel, address, reason)
           values ($1, 'EMAIL', $2, 'unsubscribed') on conflict do nothing`,
          [applicationId, email],
        );
      await rig.applyUsers(
        rig.record({
          customUserId,
          receivedAt: time,
          messages: [
            userMessage({
              time,
              customAttributes: {
                plan,
                endsOn: endsOn === null ? null : new Date(endsOn).toISOString(),
                ...(timeZone !== null && { timeZone }),
              },
              ...(email !== null && { email }),
            }),
          ],
        }),
      );
    }

    async function act({ customUserId }: Person, deed: Deed): Promise<void> {
      await rig.applyEvents(
        rig.record({
          customUserId,
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

    /** The better branches of all splits that look for one: from now on everyone takes them. */
    async function findBranches(): Promise<void> {
      for (const [slug, definition] of definitions) {
        const own = new Map<string, FoundBranch>();
        found.set(slug, own);
        const automation = await readAutomation(db.sql, { applicationId, slug });
        for (const node of allNodes(definition.nodes)) {
          if (automation === null || !('winner' in node)) continue;
          const branch = Math.floor(random() * 2);
          const figures = [0, 1].map((place) => ({ hits: place === branch ? 90 : 10, of: 100 }));
          await decideSplit(
            db.sql,
            { applicationId, automationId: automation.id, version: 1, node: node.id },
            figures,
          );
          own.set(node.id, { branch, at: foundAt });
        }
      }
    }

    async function rehearse(slug: string): Promise<PlainRun[]> {
      const asked = await requestRehearsal(db, { applicationId, slug, from, to, by: 'test' });
      if (typeof asked === 'string' || 'errors' in asked)
        throw new Error(`not rehearsed: ${JSON.stringify(asked)}`);
      await runNextRehearsal(db, { clock: systemClock, signal: new AbortController().signal });
      const found = await readRehearsal(db.sql, { applicationId, ...asked });
      if (found?.status !== 'completed') throw new Error('the rehearsal has not completed');
      return found.traces.map(toPlain);
    }
  }
}
