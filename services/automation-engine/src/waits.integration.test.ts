import { afterAll, describe, expect, test } from '@jest/globals';
import type { AutomationNode } from '@tidings/contracts/automations/definition';
import { actionMessage, createOwnDatabase } from '@tidings/testing';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const order = { kind: 'action', name: 'order' } as const;
const waitForOrder: AutomationNode = {
  id: 'ordered',
  waitFor: { event: order },
  timeout: '1h',
  ['then' as const]: [mail('thanks')],
  else: [mail('nudge')],
};

async function newRig() {
  const rig = await automationRig(db);
  await rig.register();
  await rig.define('cartd', 'order');
  return rig;
}

describe('a wait for an event', () => {
  test('ends when it comes', async () => {
    const rig = await newRig();
    await rig.activate(cart([waitForOrder]));
    await rig.does('cartd');
    await rig.step();
    await rig.does('order');
    await rig.step();

    expect(await rig.traces()).toEqual([
      ['entered', 'ordered waiting', 'ordered passed then', 'thanks sent'],
    ]);
  });

  test('ends with its time, and an event after that changes nothing', async () => {
    const rig = await newRig();
    await rig.activate(cart([waitForOrder]));
    await rig.does('cartd');
    await rig.step();
    await rig.pass(HOUR_MS);
    await rig.step();
    await rig.does('order');
    await rig.step();

    expect(await rig.traces()).toEqual([
      ['entered', 'ordered waiting', 'ordered passed else', 'nudge sent'],
    ]);
  });

  test('that is due counts an event whose time lay within, received later', async () => {
    const rig = await newRig();
    await rig.activate(cart([waitForOrder], { trigger: { event: cartd, maxAge: '2d' } }));
    await rig.does('cartd', { time: Date.now() - 2 * HOUR_MS });
    await rig.step();
    await rig.pass(HOUR_MS + 1_000);
    await rig.does('order', { time: Date.now() - 5_000 });
    await rig.step();

    expect(await rig.traces()).toEqual([
      ['entered', 'ordered waiting', 'ordered passed then', 'thanks sent'],
    ]);
  });

  test('is not woken by what others do, or by an event with other attributes', async () => {
    const rig = await newRig();
    const wait: AutomationNode = {
      ...waitForOrder,
      waitFor: { event: order, where: [{ attribute: 'paid', is: true }] },
    };
    await rig.register('bob');
    await rig.activate(cart([wait]));
    await rig.does('cartd');
    await rig.step();
    await rig.does('order', { attributes: { paid: true } }, 'bob');
    await rig.does('order', { attributes: { paid: false } });
    await rig.step();

    expect(await rig.runs()).toMatchObject([{ status: 'active', node: 'ordered' }]);
  });

  test('of an event that came between the trigger and the wait is over at once', async () => {
    const rig = await newRig();
    await rig.activate(cart([{ id: 'hour', delay: '1h' }, waitForOrder]));
    await rig.does('cartd');
    await rig.step();
    await rig.does('order');
    await rig.pass(HOUR_MS);
    await rig.step();

    expect(await rig.traces()).toEqual([
      ['entered', 'hour waiting', 'hour passed', 'ordered passed then', 'thanks sent'],
    ]);
  });
});

const cartd = { kind: 'action', name: 'cartd' } as const;

test('what a public key says of a person wakes only who waits for events of anyone', async () => {
  const dueIn = async (from: object) => {
    const rig = await newRig();
    await rig.activate(cart([waitForOrder], { trigger: { event: cartd, ...from } }));
    await rig.does('cartd');
    await rig.step();
    await rig.store({ keyType: 'client', messages: [actionMessage({ customName: 'order' })] });
    await rig.changes();
    const { rows } = await db.sql.query<{ isDue: boolean }>(
      'select due_at <= now() as "isDue" from automation_timers where application_id = $1',
      [rig.applicationId],
    );
    return rows;
  };

  expect(await dueIn({})).toEqual([{ isDue: false }]);
  expect(await dueIn({ from: 'anyone' })).toEqual([{ isDue: true }]);
});

describe('a wait for what becomes of a message', () => {
  test('that failed when it was made is over at once', async () => {
    const rig = await newRig();
    await rig.activate(
      cart([
        { id: 'sms', send: { channel: 'SMS', message: { body: 'Text' } } },
        {
          id: 'failed',
          waitFor: { message: { node: 'sms' }, was: 'failed' },
          timeout: '1d',
          ['then' as const]: [mail('mail1')],
          else: [],
        },
      ]),
    );
    await rig.does('cartd');
    await rig.step();
    await rig.step();

    expect(await rig.traces()).toEqual([
      ['entered', 'sms sent', 'failed waiting', 'failed passed then', 'mail1 sent'],
    ]);
  });

  const clicked: AutomationNode = {
    id: 'clicked',
    waitFor: { message: { node: 'mail1' }, was: 'clicked' },
    timeout: '1d',
    ['then' as const]: [],
    else: [mail('nudge')],
  };

  test('ends when a person clicked', async () => {
    const rig = await newRig();
    await rig.activate(cart([mail('mail1'), clicked]));
    await rig.does('cartd');
    await rig.step();
    const [delivery] = await rig.deliveries();
    await db.sql.query(`update deliveries set clicked_at = now() where id = $1`, [delivery?.id]);
    await rig.wake();
    await rig.step();

    expect(await rig.traces()).toEqual([
      ['entered', 'mail1 sent', 'clicked waiting', 'clicked passed then'],
    ]);
  });

  test('goes on with its time', async () => {
    const rig = await newRig();
    await rig.activate(cart([mail('mail1'), clicked]));
    await rig.does('cartd');
    await rig.step();
    await rig.pass(25 * HOUR_MS);
    await rig.step();

    expect(await rig.traces()).toEqual([
      ['entered', 'mail1 sent', 'clicked waiting', 'clicked passed else', 'nudge sent'],
    ]);
  });
});

describe('an exit', () => {
  const hour: AutomationNode = { id: 'hour', delay: '1h' };

  test('ends a run at once, wherever it waits, and a goal counts', async () => {
    const rig = await newRig();
    await rig.activate(cart([hour, mail('mail1')], { exit: [{ event: order, as: 'goal' }] }));
    await rig.does('cartd');
    await rig.step();
    await rig.does('order');
    await rig.step();

    expect(await rig.traces()).toEqual([['entered', 'hour waiting', 'hour goal']]);
    expect(await rig.runs()).toMatchObject([{ status: 'exited', goal_at: expect.any(Date) }]);
    expect(await rig.counts()).toMatchObject({ entered: 1, exited: 1, goal: 1, 'hour goal': 1 });
    expect(await rig.deliveries()).toEqual([]);
  });

  test('does not count what came before the trigger, or with it at the same time', async () => {
    const rig = await newRig();
    const time = Date.now();
    await rig.does('order', { time: time - 1, id: 'z' });
    await rig.activate(cart([hour, mail('mail1')], { exit: [{ event: order }] }));
    await rig.does('cartd', { time });
    await rig.step();

    expect(await rig.runs()).toMatchObject([{ status: 'active', node: 'hour' }]);
  });

  test('that came before the run was made ends it at its entry', async () => {
    const rig = await newRig();
    await rig.activate(cart([hour, mail('mail1')], { exit: [{ event: order }] }));
    await rig.does('cartd', { time: Date.now() - 1_000 });
    await rig.does('order');
    await rig.step();

    expect(await rig.traces()).toEqual([['entered', 'hour exited']]);
  });

  test('a goal after the last node counts within its window, once', async () => {
    const rig = await newRig();
    await rig.activate(
      cart([mail('mail1')], { exit: [{ event: order, as: 'goal' }], goalWindow: '1d' }),
    );
    await rig.does('cartd');
    await rig.step();
    const before = await rig.runs();
    await rig.does('order');
    await rig.does('order');
    await rig.step();

    expect(before).toMatchObject([{ status: 'completed', goal_at: null }]);
    expect(await rig.runs()).toMatchObject([{ status: 'completed', goal_at: expect.any(Date) }]);
    expect(await rig.counts()).toMatchObject({ entered: 1, completed: 1, goal: 1 });
  });

  test('a goal after its window does not count', async () => {
    const rig = await newRig();
    await rig.activate(
      cart([mail('mail1')], { exit: [{ event: order, as: 'goal' }], goalWindow: '1h' }),
    );
    await rig.does('cartd');
    await rig.step();
    await rig.pass(HOUR_MS + 60_000);
    await rig.does('order');
    await rig.step();

    expect(await rig.counts()).not.toHaveProperty('goal');
  });
});
