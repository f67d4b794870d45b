import { afterAll, describe, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { actionMessage, createFakeClock, createOwnDatabase, userMessage } from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const cartd = { kind: 'action', name: 'cartd' } as const;
const hour = { id: 'hour', delay: '1h' } as const;

async function newRig() {
  const rig = await automationRig(db);
  await rig.define('cartd');
  return rig;
}

describe('who enters', () => {
  test('only those whose event has what the trigger asks for', async () => {
    const rig = await newRig();
    await rig.register();
    await rig.register('bob');
    await rig.activate(
      cart([hour], { trigger: { event: cartd, where: [{ attribute: 'price', gt: 20 }] } }),
    );
    await rig.does('cartd', { attributes: { price: 42 } });
    await rig.does('cartd', { attributes: { price: 20 } }, 'bob');
    await rig.does('viewed', { attributes: { price: 42 } }, 'bob');
    await rig.step();

    expect(await rig.triggers()).toEqual(['entered']);
  });

  test('no one by an event of before the activation, or one that is too old', async () => {
    const rig = await newRig();
    await rig.register();
    await rig.does('cartd');
    await rig.activate(cart([hour]));
    await rig.does('cartd', { time: Date.now() - 2 * HOUR_MS });
    await rig.step();

    expect(await rig.runs()).toEqual([]);
  });

  test('no one by what a Client key sent without a proof, unless that is allowed', async () => {
    const rig = await newRig();
    await rig.register();
    await rig.activate(cart([hour]), 'strict');
    await rig.activate(cart([hour], { trigger: { event: cartd, from: 'anyone' } }), 'open');
    await rig.store({ keyType: 'client', messages: [actionMessage({ customName: 'cartd' })] });
    await rig.step();

    expect(await rig.runs()).toHaveLength(1);
    expect(await rig.triggers()).toEqual(['entered']);
  });

  test('once they are registered: a cart filled before that counts', async () => {
    const rig = await newRig();
    await rig.activate(cart([hour]));
    await rig.does('cartd');
    await rig.step();
    const before = await rig.runs();
    await rig.register();
    await rig.step();
    await rig.step();

    expect(before).toEqual([]);
    expect(await rig.runs()).toMatchObject([{ status: 'active', node: 'hour' }]);
  });

  test('by what they did as anonymous visitors, once these are them', async () => {
    const rig = await newRig();
    const serviceUserId = systemIds.uuid();
    await rig.register();
    await rig.activate(cart([hour]));
    await rig.store({
      customUserId: null,
      serviceUserId,
      messages: [actionMessage({ customName: 'cartd' })],
    });
    await rig.step();
    await rig.store({ serviceUserId, messages: [userMessage()] });
    await rig.step();
    await rig.step();

    expect(await rig.runs()).toHaveLength(1);
  });
});

describe('an event beside a profile in one request', () => {
  test('sees the new profile, whichever is stored first', async () => {
    const rig = await newRig();
    await rig.register('ada', { customAttributes: { plan: 'free' } });
    await rig.activate(
      cart([
        {
          id: 'pro',
          if: { attribute: 'plan', is: 'pro' },
          ['then' as const]: [mail('thanks')],
          else: [mail('offer')],
        },
      ]),
    );
    const sent = rig.record({
      messages: [
        actionMessage({ customName: 'cartd' }),
        userMessage({ customAttributes: { plan: 'pro' } }),
      ],
    });
    await rig.applyEvents(sent);
    await rig.step();
    const settling = await rig.runs();
    await rig.applyUsers(sent);
    await rig.pass(1_000);
    await rig.step();

    expect(settling).toMatchObject([{ status: 'active', node: null }]);
    expect(await rig.traces()).toEqual([['entered', 'pro passed then', 'thanks sent']]);
  });

  test('goes on without it after ten seconds', async () => {
    const rig = await newRig();
    await rig.register();
    await rig.activate(cart([hour]));
    await rig.applyEvents(
      rig.record({ messages: [actionMessage({ customName: 'cartd' }), userMessage()] }),
    );
    await rig.step();
    await rig.pass(11_000);
    await rig.step();

    expect(await rig.traces()).toEqual([['entered settling_timeout', 'hour waiting']]);
  });
});

test('a user who is deleted leaves nothing behind but numbers, and no step brings them back', async () => {
  const rig = await newRig();
  await rig.register();
  await rig.activate(cart([hour]));
  await rig.does('cartd');
  await rig.step();
  await deleteUser(db, {
    applicationId: rig.applicationId,
    customUserId: 'ada',
    clock: createFakeClock(),
  });
  await rig.pass(HOUR_MS);
  await rig.step();

  for (const table of ['runs', 'timers', 'waits', 'entries', 'triggers', 'trace']) {
    const { rows } = await db.sql.query(
      `select 1 from automation_${table} where application_id = $1`,
      [rig.applicationId],
    );
    expect([table, rows]).toEqual([table, []]);
  }
  expect(await rig.counts()).toMatchObject({ entered: 1, exited: 1, 'hour exited': 1 });
});

describe('entering again', () => {
  const enterTwice = async (entry: { again: 'never' | 'after' | 'always'; after?: string }) => {
    const rig = await newRig();
    await rig.register();
    await rig.activate(cart([mail('mail1')], { entry }));
    await rig.does('cartd');
    await rig.step();
    await rig.does('cartd');
    await rig.step();
    return rig;
  };

  test('is refused by `never`, and by `after` until its time is over', async () => {
    const never = await enterTwice({ again: 'never' });
    const after = await enterTwice({ again: 'after', after: '1d' });
    await db.sql.query(
      `update automation_entries set last_entered_at = now() - interval '1 day' where application_id = $1`,
      [after.applicationId],
    );
    await after.does('cartd');
    await after.step();

    expect(await never.triggers()).toEqual(['entered', 're_entry']);
    expect(await after.triggers()).toEqual(['entered', 'entered', 're_entry']);
  });

  test('is allowed by `always`, but not while a run is in progress', async () => {
    const rig = await enterTwice({ again: 'always' });
    const other = await newRig();
    await other.register();
    await other.activate(cart([hour]));
    await other.does('cartd');
    await other.does('cartd');
    await other.step();

    expect(await rig.triggers()).toEqual(['entered', 'entered']);
    expect(await other.triggers()).toEqual(['entered', 're_entry']);
  });

  test('is not what a log does that is read anew', async () => {
    const rig = await enterTwice({ again: 'always' });
    await db.sql.query('update log_leases set committed = 0');
    await rig.step();

    expect(await rig.runs()).toHaveLength(2);
    expect(await rig.deliveries()).toHaveLength(2);
  });
});
