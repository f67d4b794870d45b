import { afterAll, describe, expect, test } from '@jest/globals';
import {
  activateAutomation,
  archiveAutomation,
  pauseAutomation,
  resumeAutomation,
  stopAutomation,
} from '@tidings/automations/automations';
import type { AutomationNode } from '@tidings/contracts/automations/definition';
import { systemClock } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';
import { readUserChangesTopic } from '@tidings/user-changes/changes';
import { createEngine } from './engine.ts';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const MINUTE_MS = 60_000;
/** A test of a hundred looks of two engines, on a machine with other work. */
const SLOW_MS = 120_000;
const throttle = { sends: 5, per: '1m' } as const;
const { signal } = new AbortController();

async function throttledRig(people: number, nodes: readonly AutomationNode[] = [mail('mail1')]) {
  const rig = await automationRig(db);
  await rig.define('cartd');
  await rig.activate(cart(nodes, { throttle }));
  for (let person = 0; person < people; person += 1) await rig.register(`p${person}`);
  for (let person = 0; person < people; person += 1) await rig.does('cartd', {}, `p${person}`);
  const { topicId } = await readUserChangesTopic(db.sql);
  const logger = { warn: () => undefined, error: () => undefined } as never;
  const engineOf = () =>
    createEngine(
      { db, topicId, logger, dispatch: () => Promise.resolve() },
      { lookMs: 0, clock: systemClock },
    );
  const engines = [engineOf(), engineOf()];
  /** When messages were sent, in milliseconds, by a clock that goes on and is moved besides. */
  const sent: number[] = [];
  const seen = new Set<string>();
  let moved = 0;
  let total = 0;
  const which = { applicationId: rig.applicationId, slug: 'cart', by: 'test' };
  return {
    ...rig,
    which,
    sent,
    /** Two engines do what is due. */
    async look(): Promise<void> {
      await Promise.all(engines.map((engine) => engine.runOnce(signal)));
      total = (await rig.deliveries()).length;
      const { rows } = await db.sql.query<{ id: string; at: number }>(
        `select id, extract(epoch from last_sent_at)::float8 * 1000 as at from automation_runs
         where application_id = $1 and last_sent_at is not null`,
        [rig.applicationId],
      );
      for (const { id, at } of rows) {
        if (seen.has(`${id} ${at}`)) continue;
        seen.add(`${id} ${at}`);
        sent.push(at + moved);
      }
    },
    async later(ms: number): Promise<void> {
      await rig.pass(ms);
      moved += ms;
    },
    /** The most in a minute, less what is rounded. */
    most: () =>
      Math.max(
        0,
        ...sent.map(
          (first) => sent.filter((at) => at >= first && at < first + MINUTE_MS - 1).length,
        ),
      ),
    total: () => total,
  };
}

describe('a throttle', () => {
  test(
    'spaces messages, with two engines and a clock that is moved',
    async () => {
      const rig = await throttledRig(12);
      await rig.look();
      const first = rig.total();
      for (let look = 0; look < 60; look += 1) {
        await rig.later(3_000);
        await rig.look();
      }

      expect(first).toBe(1);
      expect(rig.most()).toBeLessThanOrEqual(5);
      expect([rig.total(), rig.sent.length]).toEqual([12, 12]);
      expect(await rig.runs()).toHaveLength(12);
      expect(
        (await rig.traces()).filter((lines) => lines.includes('mail1 waiting throttle')),
      ).toHaveLength(11);
      expect(await rig.counts()).toMatchObject({
        'mail1 entered': 12,
        'mail1 sent': 12,
        completed: 12,
      });
    },
    SLOW_MS,
  );

  test('counts each message of a run', async () => {
    const rig = await throttledRig(3, [mail('mail1'), mail('mail2')]);
    for (let look = 0; look < 40; look += 1) {
      await rig.look();
      await rig.later(3_000);
    }

    expect([rig.most() <= 5, rig.total()]).toEqual([true, 6]);
  });

  test(
    'does not make up for a time without engines',
    async () => {
      const rig = await throttledRig(12);
      await rig.look();
      await rig.later(30 * MINUTE_MS);
      for (let look = 0; look < 80; look += 1) {
        await rig.look();
        await rig.later(3_000);
      }

      expect([rig.most() <= 5, rig.total()]).toEqual([true, 12]);
    },
    SLOW_MS,
  );

  test(
    'holds after a pause too, which may leave messages out that are late',
    async () => {
      const sending = await throttledRig(8);
      const skipping = await throttledRig(8);
      for (const [rig, missedSends] of [
        [sending, 'send'],
        [skipping, 'skip'],
      ] as const) {
        await rig.look();
        await pauseAutomation(db, rig.which);
        await rig.later(2 * HOUR_MS);
        await rig.look();
        await resumeAutomation(db, { ...rig.which, missedSends });
        for (let look = 0; look < 50; look += 1) {
          await rig.look();
          await rig.later(3_000);
        }
      }

      expect([sending.most() <= 5, sending.total()]).toEqual([true, 8]);
      expect(skipping.total()).toBe(1);
      expect(await skipping.counts()).toMatchObject({ completed: 8, 'mail1 skipped missed': 7 });
    },
    SLOW_MS,
  );

  test('of a new version holds for all runs, and those who move are planned anew', async () => {
    const rig = await throttledRig(10);
    await rig.look();
    await rig.write(cart([mail('mail1')], { throttle: { sends: 600, per: '1m' } }));
    await activateAutomation(db, { ...rig.which, inFlight: 'move' });
    for (let look = 0; look < 20; look += 1) {
      await rig.look();
      await rig.later(1_000);
    }

    expect(rig.total()).toBe(10);
  });

  test('of a new version that is the same leaves those who move their instants', async () => {
    const rig = await throttledRig(12);
    await rig.look();
    await rig.write(cart([mail('mail1')], { name: 'Other', throttle }));
    await activateAutomation(db, { ...rig.which, inFlight: 'move' });
    for (let look = 0; look < 20; look += 1) {
      await rig.look();
      await rig.later(3_000);
    }

    // Behind the old queue the second would go after more than two minutes.
    expect(rig.total()).toBeGreaterThanOrEqual(3);
    expect(rig.most()).toBeLessThanOrEqual(5);
  });

  test('leaves a run its timer that waits at a delay which becomes a send', async () => {
    const rig = await throttledRig(1, [{ id: 'node1', delay: '1h' }]);
    await rig.look();
    await rig.write(cart([mail('node1')]));
    await activateAutomation(db, { ...rig.which, inFlight: 'move' });
    await rig.look();
    const early = rig.total();
    await rig.later(HOUR_MS);
    await rig.look();

    expect([early, rig.total()]).toEqual([0, 1]);
  });
});

describe('a send', () => {
  const settings = (value: unknown, applicationId: string) =>
    db.sql.query('update applications set settings = settings || $2::jsonb where id = $1', [
      applicationId,
      JSON.stringify(value),
    ]);
  const hourOf = (at: number): string =>
    `${String(new Date(at).getUTCHours()).padStart(2, '0')}:${String(new Date(at).getUTCMinutes()).padStart(2, '0')}`;

  test('waits until the quiet hours of its person are over, if told so', async () => {
    const rig = await automationRig(db);
    await rig.define('cartd');
    const now = Date.now();
    await settings(
      { quietHours: { EMAIL: { from: hourOf(now - HOUR_MS), to: hourOf(now + 2 * HOUR_MS) } } },
      rig.applicationId,
    );
    const send = { channel: 'EMAIL', message: { title: 'Hello', body: 'Text' } } as const;
    await rig.activate(
      cart([{ id: 'mail1', send: { ...send, quietHours: 'wait' } }], { purpose: 'marketing' }),
    );
    await rig.register('ada');
    // It is another time where she is.
    await rig.register('bob', { customAttributes: { timeZone: 'Pacific/Auckland' } });
    for (const person of ['ada', 'bob']) await rig.does('cartd', {}, person);
    await rig.step();
    const quiet = await rig.deliveries();
    const traces = await rig.traces();
    await settings({ quietHours: {} }, rig.applicationId);
    await rig.pass(2 * HOUR_MS);
    await rig.step();

    expect(quiet.map((delivery) => delivery.custom_user_id)).toEqual(['bob']);
    expect(traces).toContainEqual(['entered', 'mail1 waiting quiet_hours']);
    expect(await rig.deliveries()).toHaveLength(2);
  });

  test('ends the run of a person whom no channel reaches, if told so', async () => {
    const rig = await automationRig(db);
    await rig.define('cartd');
    const sms = { channel: 'SMS', message: { body: 'Text' } } as const;
    await rig.activate(
      cart([{ id: 'sms', send: { ...sms, onUnreachable: 'exit' } }, mail('mail1')]),
      'cart',
    );
    await rig.activate(
      cart([
        {
          id: 'sms',
          send: {
            try: [sms, { ...sms, channel: 'WEB_PUSH', message: { title: 'a', body: 'b' } }],
            onUnreachable: 'next',
          },
        },
        mail('mail1'),
      ]),
      'next',
    );
    await rig.register();
    await rig.does('cartd');
    await rig.step();

    expect((await rig.traces()).toSorted((a, b) => a.length - b.length)).toEqual([
      ['entered', 'sms exited unreachable'],
      ['entered', 'sms skipped unreachable', 'mail1 sent'],
    ]);
    expect((await rig.runs()).map(({ status }) => status).toSorted()).toEqual([
      'completed',
      'exited',
    ]);
  });
});

test(
  'a step waits a second at most for the throttle that another has, and others do not wait with it',
  async () => {
    const rig = await throttledRig(0);
    await rig.activate(cart([mail('mail1')]), 'free');
    await rig.register();
    await rig.does('cartd');
    await db.sql.query(
      `insert into automation_throttles (automation_id, application_id, next_ms, sent_ms, spacing_ms)
       select id, application_id, 0, 0, 0 from automations where application_id = $1 and slug = 'cart'`,
      [rig.applicationId],
    );
    // An engine that stands still while it has the row.
    await db.transaction(async (sql) => {
      await sql.query('select from automation_throttles where application_id = $1 for update', [
        rig.applicationId,
      ]);
      await rig.changes();
    });
    const delivered = (await rig.deliveries()).length;
    await rig.pass(1_000);
    await rig.step();

    // Neither put off for a minute, as slow conditions are.
    expect(rig.failures).toEqual([]);
    expect([delivered, (await rig.deliveries()).length]).toEqual([1, 2]);
  },
  SLOW_MS,
);

test('an automation that is archived leaves no plan of its messages', async () => {
  const rig = await throttledRig(1);
  await rig.step();
  const planned = async () =>
    (
      await db.sql.query('select from automation_throttles where application_id = $1', [
        rig.applicationId,
      ])
    ).rows.length;
  await stopAutomation(db, { ...rig.which, runs: 'finish' });
  expect(await planned()).toBe(1);

  expect(await archiveAutomation(db, rig.which)).toBe('archived');
  expect(await planned()).toBe(0);
});
