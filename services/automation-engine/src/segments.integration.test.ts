import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { readAutomation, stopAutomation } from '@tidings/automations/automations';
import { relisten } from '@tidings/automations/relisten';
import { explainUser } from '@tidings/automation-reports/why';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { archiveSegment } from '@tidings/segments/segments';
import { createFakeClock, createOwnDatabase } from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { HOUR_MS, mail } from './testing/rig.ts';
import { entering, segmentRig } from './testing/segment-rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());
// Each step looks at all shards.
jest.setTimeout(60_000);

const hour = { id: 'hour', delay: '1h' } as const;
const newRig = (condition?: Condition) => segmentRig(db, condition);

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
