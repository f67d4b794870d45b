import { afterAll, describe, expect, test } from '@jest/globals';
import {
  activateAutomation,
  pauseAutomation,
  resumeAutomation,
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
  /** How many were sent at each instant of a clock that is moved, in milliseconds. */
  const sent: { readonly at: number; readonly n: number }[] = [];
  let at = 0;
  let before = 0;
  const which = { applicationId: rig.applicationId, slug: 'cart', by: 'test' };
  return {
    ...rig,
    which,
    sent,
    /** Two engines do what is due. */
    async look(): Promise<void> {
      await Promise.all(engines.map((engine) => engine.runOnce(signal)));
      const now = (await rig.deliveries()).length;
      if (now > before) sent.push({ at, n: now - before });
      before = now;
    },
    async later(ms: number): Promise<void> {
      await rig.pass(ms);
      at += ms;
    },
    /** The most in a minute. */
    most(): number {
      return Math.max(
        0,
        ...sent.map((first) =>
          sent
            .filter((one) => one.at >= first.at && one.at < first.at + MINUTE_MS)
            .reduce((sum, { n }) => sum + n, 0),
        ),
      );
    },
    total: () => sent.reduce((sum, { n }) => sum + n, 0),
  };
}

describe('a throttle', () => {
  test('spaces messages, with two engines and a clock that is moved', async () => {
    const rig = await throttledRig(12);
    await rig.look();
    const first = rig.total();
    for (let look = 0; look < 60; look += 1) {
      await rig.later(3_000);
      await rig.look();
    }

    expect(first).toBe(1);
    expect(rig.most()).toBe(5);
    expect(rig.total()).toBe(12);
    expect(await rig.runs()).toHaveLength(12);
    expect(
      (await rig.traces()).filter((lines) => lines.includes('mail1 waiting throttle')),
    ).toHaveLength(11);
    expect(await rig.counts()).toMatchObject({
      'mail1 entered': 12,
      'mail1 sent': 12,
      completed: 12,
    });
  });

  test('counts each message of a run', async () => {
    const rig = await throttledRig(3, [mail('mail1'), mail('mail2')]);
    for (let look = 0; look < 40; look += 1) {
      await rig.look();
      await rig.later(3_000);
    }

    expect([rig.most() <= 5, rig.total()]).toEqual([true, 6]);
  });

  test('does not make up for a time without engines', async () => {
    const rig = await throttledRig(12);
    await rig.look();
    await rig.later(30 * MINUTE_MS);
    for (let look = 0; look < 80; look += 1) {
      await rig.look();
      await rig.later(3_000);
    }

    expect([rig.most() <= 5, rig.total()]).toEqual([true, 12]);
  });

  test('holds after a pause too, which may leave messages out that are late', async () => {
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
  });

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
