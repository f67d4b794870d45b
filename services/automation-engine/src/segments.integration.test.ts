import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { readAutomation, stopAutomation } from '@tidings/automations/automations';
import { relisten } from '@tidings/automations/relisten';
import { explainUser } from '@tidings/automation-reports/why';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { archiveSegment, writeSegment } from '@tidings/segments/segments';
import { createFakeClock, createOwnDatabase } from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { setTimeout as sleep } from 'node:timers/promises';
import { automationRig, cart, HOUR_MS, mail } from './testing/rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());
// Each step looks at all shards.
jest.setTimeout(60_000);

const hour = { id: 'hour', delay: '1h' } as const;
const PRO: Condition = { attribute: 'plan', is: 'pro' };
const entering = { segment: 'vip', when: 'enters' } as const;

/** People with plans, and a segment of those with one of them. */
async function newRig(condition: Condition = PRO) {
  const rig = await automationRig(db);
  await rig.define('cartd');
  const { applicationId } = rig;
  const writeVip = async (to: Condition, slug = 'vip') => {
    const written = await writeSegment(db, {
      applicationId,
      slug,
      name: slug,
      condition: to,
      by: 'test',
    });
    if (typeof written === 'string') throw new Error(written);
    return written;
  };
  await writeVip(condition);
  const has = (plan: string, of = 'ada') => rig.register(of, { customAttributes: { plan } });
  const isBuilding = async (): Promise<boolean> => {
    const { rows } = await db.sql.query(
      'select from live_segment_builds where application_id = $1 and not is_built limit 1',
      [applicationId],
    );
    return rows.length > 0;
  };
  const settle = async () => {
    // A build begins once older transactions have ended, also those of other databases.
    do await rig.step();
    while (await isBuilding());
    await rig.step();
  };
  return {
    ...rig,
    writeVip,
    /** A person has this plan from now on. */
    has,
    settle,
    /** The automation is active, and the members of its segments are known. */
    async live(nodes: AutomationDefinition['nodes'], overrides: Partial<AutomationDefinition>) {
      const automation = await rig.activate(cart(nodes, { trigger: entering, ...overrides }));
      await settle();
      return automation;
    },
    async members() {
      const { rows } = await db.sql.query<{ custom_user_id: string }>(
        `select u.custom_user_id from segment_members m join users u on u.id = m.user_id
         where m.application_id = $1 and m.is_member order by 1`,
        [applicationId],
      );
      return rows.map((row) => row.custom_user_id);
    },
    /** Its rechecks come that much earlier. */
    async recheckAt(customUserId = 'ada') {
      const { rows } = await db.sql.query<{ ms: number | null }>(
        `select extract(epoch from m.recheck_at)::float8 * 1000 as ms
         from segment_members m join users u on u.id = m.user_id
         where m.application_id = $1 and u.custom_user_id = $2`,
        [applicationId, customUserId],
      );
      return rows[0]?.ms ?? null;
    },
  };
}

describe('a trigger by segment', () => {
  test('enters those who become members, not those who are', async () => {
    const rig = await newRig();
    await rig.has('pro', 'old');
    await rig.has('free');
    await rig.live([mail('hello')], {});
    const before = [await rig.members(), await rig.runs()];
    await rig.has('pro');
    await rig.has('pro', 'new');
    await rig.settle();

    expect(before).toEqual([['old'], []]);
    expect(await rig.members()).toEqual(['ada', 'new', 'old']);
    expect((await rig.deliveries()).map((each) => each.custom_user_id).toSorted()).toEqual([
      'ada',
      'new',
    ]);
    expect(rig.failures).toEqual([]);
  });

  test('enters those who leave it', async () => {
    const rig = await newRig();
    await rig.has('pro');
    await rig.live([mail('sorry')], { trigger: { segment: 'vip', when: 'leaves' } });
    await rig.has('free');
    await rig.settle();

    expect(await rig.traces()).toEqual([['entered', 'sorry sent']]);
  });

  test('enters the members of the activation once, if it is to', async () => {
    const rig = await newRig();
    for (const name of ['ada', 'bob', 'cyd']) await rig.has('pro', name);
    await rig.has('free', 'dee');
    await rig.live([hour], { trigger: { ...entering, existing: true } });
    await rig.settle();
    await rig.has('pro', 'eve');
    await rig.settle();

    expect(await rig.triggers()).toEqual(['entered', 'entered', 'entered', 'entered']);
    const { rows } = await db.sql.query(
      'select from automation_existing where application_id = $1',
      [rig.applicationId],
    );
    expect(rows).toEqual([]);
  });

  test('enters when time alone makes a member, by a recheck and no sooner', async () => {
    const rig = await newRig();
    const cartd = { kind: 'action', name: 'cartd' } as const;
    await rig.writeVip({ event: cartd, count: { lt: 1 }, within: '1h' });
    await rig.register();
    const time = Date.now() - HOUR_MS / 2;
    await rig.does('cartd', { time });
    await rig.live([mail('back')], {});
    const before = [await rig.members(), await rig.runs()];
    const recheck = await rig.recheckAt();
    // Half an hour passes.
    await db.sql.query('update events set time = time - $2 where application_id = $1', [
      rig.applicationId,
      HOUR_MS / 2,
    ]);
    await db.sql.query(
      `update segment_members set recheck_at = recheck_at - interval '30 min' where application_id = $1`,
      [rig.applicationId],
    );
    await rig.settle();

    expect(before).toEqual([[], []]);
    expect(recheck).toBe(time + HOUR_MS);
    expect(await rig.traces()).toEqual([['entered', 'back sent']]);
  });

  test('says why: what entered, and what it was refused by', async () => {
    const rig = await newRig();
    await rig.has('free');
    await rig.live([mail('hello')], { entry: { again: 'never' } });
    await rig.has('pro');
    await rig.settle();
    await rig.has('free');
    await rig.settle();
    await rig.has('pro');
    await rig.settle();
    const { applicationId } = rig;
    const automation = await readAutomation(db.sql, { applicationId, slug: 'cart' });
    if (automation === null) throw new Error('no automation');

    expect(
      await explainUser(db.sql, { applicationId, automation, customUserId: 'ada' }),
    ).toMatchObject({
      triggers: [
        { result: 'skipped', reason: 're_entry', pointer: '/entry/again' },
        { result: 'entered' },
      ],
    });
  });
});

describe('a segment that is edited', () => {
  test('enters no one by the edit, and those who come later', async () => {
    const rig = await newRig();
    await rig.has('pro', 'ada');
    await rig.has('basic', 'bob');
    await rig.has('free', 'cyd');
    await rig.live([hour], {});
    await rig.writeVip({ attribute: 'plan', in: ['pro', 'basic'] });
    await db.transaction((sql) => relisten(sql, rig.applicationId));
    await rig.settle();
    const edited = [await rig.members(), await rig.runs()];
    await rig.has('basic', 'cyd');
    await rig.settle();

    expect(edited).toEqual([['ada', 'bob'], []]);
    expect(await rig.runs()).toHaveLength(1);
  });

  test('is built anew at the next change, if no one said so', async () => {
    const rig = await newRig();
    await rig.has('basic', 'bob');
    await rig.has('free', 'cyd');
    await rig.live([hour], {});
    await rig.writeVip({ attribute: 'plan', in: ['pro', 'basic'] });
    for (let n = 0; n < 40; n += 1) await rig.has('free', `other${n}`);
    await rig.settle();
    await rig.settle();

    expect([await rig.members(), await rig.runs()]).toEqual([['bob'], []]);
  });

  test('ends the runs whose exit names it, and keeps the others', async () => {
    const rig = await newRig();
    await rig.has('pro');
    await rig.live([hour], {
      trigger: { event: { kind: 'action', name: 'cartd' } },
      exit: [{ segment: 'vip', when: 'leaves' }],
    });
    await rig.does('cartd');
    await rig.settle();
    const before = await rig.runs();
    await rig.writeVip({ attribute: 'plan', is: 'none' });
    await db.transaction((sql) => relisten(sql, rig.applicationId));
    await rig.settle();

    expect(before).toMatchObject([{ status: 'active' }]);
    expect(await rig.runs()).toMatchObject([{ status: 'exited' }]);
  });

  test('may not ask what is not live, while an automation names it', async () => {
    const rig = await newRig();
    await rig.live([hour], {});

    expect(await rig.writeVip({ reachable: 'EMAIL' })).toMatchObject({
      errors: [{ pointer: '/condition', code: 'not_live' }],
    });
    expect(
      await archiveSegment(db, { applicationId: rig.applicationId, slug: 'vip', by: 'test' }),
    ).toMatchObject({ automations: [{ slug: 'cart' }] });
  });
});

describe('a run', () => {
  const started = { trigger: { event: { kind: 'action', name: 'cartd' } } } as const;
  const wait = (when: 'enters' | 'leaves') =>
    ({
      id: 'wait',
      waitFor: { segment: 'vip', when },
      timeout: '1d',
      ['then' as const]: [mail('thanks')],
      else: [mail('reminder')],
    }) as const;

  test('goes on at once where the person is in the segment already', async () => {
    const rig = await newRig();
    await rig.has('pro');
    await rig.live([wait('enters')], started);
    await rig.does('cartd');
    await rig.settle();

    expect(await rig.traces()).toEqual([['entered', 'wait passed then', 'thanks sent']]);
  });

  test('goes on when they leave it, or when its time is over', async () => {
    const rig = await newRig();
    await rig.has('pro');
    await rig.has('pro', 'bob');
    await rig.live([wait('leaves')], started);
    await rig.does('cartd');
    await rig.does('cartd', {}, 'bob');
    await rig.settle();
    await rig.has('free');
    await rig.settle();
    await rig.pass(25 * HOUR_MS);
    await rig.settle();

    expect((await rig.traces()).toSorted()).toEqual([
      ['entered', 'wait waiting', 'wait passed else', 'reminder sent'],
      ['entered', 'wait waiting', 'wait passed then', 'thanks sent'],
    ]);
  });

  test('does not end by what the event that entered it does, but by what comes later', async () => {
    const rig = await newRig({ event: { kind: 'action', name: 'cartd' }, within: '1d' });
    await rig.define('order');
    await rig.writeVip({ event: { kind: 'action', name: 'order' } }, 'buyers');
    await rig.register();
    const buying = { segment: 'buyers', when: 'enters' } as const;
    await rig.live([hour], { ...started, exit: [entering, buying] });
    await rig.does('cartd');
    await rig.settle();
    const [before, members] = [await rig.runs(), await rig.members()];
    await rig.does('order');
    await rig.settle();

    expect([members, before]).toMatchObject([['ada'], [{ status: 'active', node: 'hour' }]]);
    expect(await rig.runs()).toMatchObject([{ status: 'exited' }]);
  });

  test('does not end by that event when its time comes, if it was ahead of the clock', async () => {
    const rig = await newRig({ event: { kind: 'action', name: 'cartd' }, within: '1d' });
    await rig.register();
    await rig.live([hour], { ...started, exit: [entering] });
    const time = Date.now() + 2_000;
    await rig.does('cartd', { time });
    await rig.settle();
    const before = [await rig.members(), await rig.runs()];
    while (Date.now() <= time + 50) await sleep(50);
    await rig.settle();

    expect(before).toMatchObject([[], [{ status: 'active' }]]);
    expect(await rig.members()).toEqual(['ada']);
    expect(await rig.runs()).toMatchObject([{ status: 'active', node: 'hour' }]);
  });

  test('reaches its goal when they enter a segment, not by having been in it', async () => {
    const rig = await newRig();
    await rig.has('pro', 'old');
    await rig.has('free');
    await rig.live([hour], { ...started, exit: [{ ...entering, as: 'goal' }] });
    await rig.does('cartd');
    await rig.does('cartd', {}, 'old');
    await rig.settle();
    await rig.has('pro');
    await rig.settle();

    expect((await rig.traces()).toSorted()).toEqual([
      ['entered', 'hour waiting'],
      ['entered', 'hour waiting', 'hour goal'],
    ]);
  });

  test('reaches it also after its last node', async () => {
    const rig = await newRig();
    await rig.has('free');
    await rig.live([mail('mail')], { ...started, exit: [{ ...entering, as: 'goal' }] });
    await rig.does('cartd');
    await rig.settle();
    await rig.has('pro');
    await rig.settle();

    expect(await rig.traces()).toEqual([['entered', 'mail sent', 'goal']]);
  });

  test('ends where they take no marketing by a channel', async () => {
    const rig = await newRig();
    await rig.register();
    await rig.register('bob');
    await rig.live([hour, mail('mail')], { ...started, exit: [{ unsubscribed: 'EMAIL' }] });
    await rig.does('cartd');
    await rig.does('cartd', {}, 'bob');
    await rig.settle();
    await db.sql.query(
      `insert into suppressions (application_id, channel, address, reason)
       values ($1, 'EMAIL', 'ada@example.org', 'unsubscribed')`,
      [rig.applicationId],
    );
    await rig.pass(2 * HOUR_MS);
    await rig.settle();

    expect((await rig.traces()).toSorted()).toEqual([
      ['entered', 'hour waiting', 'hour exited'],
      ['entered', 'hour waiting', 'hour passed', 'mail sent'],
    ]);
  });
});

test('a user who is deleted is no member, and what no automation names is forgotten', async () => {
  const rig = await newRig();
  await rig.has('pro');
  await rig.has('pro', 'bob');
  await rig.live([hour], {});
  await deleteUser(db, {
    applicationId: rig.applicationId,
    customUserId: 'ada',
    clock: createFakeClock(),
  });
  const members = await rig.members();
  await stopAutomation(db, {
    applicationId: rig.applicationId,
    slug: 'cart',
    runs: 'end',
    by: 'test',
  });
  const { rows } = await db.sql.query('select from live_segments where application_id = $1', [
    rig.applicationId,
  ]);

  expect(members).toEqual(['bob']);
  expect(rows).toEqual([]);
});
