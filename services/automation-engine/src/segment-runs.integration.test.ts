import { afterAll, describe, expect, jest, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { createOwnDatabase } from '@tidings/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS, mail } from './testing/rig.ts';
import { entering, segmentRig } from './testing/segment-rig.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());
// Each step looks at all shards.
jest.setTimeout(60_000);

const hour = { id: 'hour', delay: '1h' } as const;
const newRig = (condition?: Condition) => segmentRig(db, condition);

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

  test('does not end by a segment in which its person has never been', async () => {
    const rig = await newRig();
    await rig.define('view');
    await rig.writeVip({ not: { event: { kind: 'action', name: 'view' }, within: '1d' } });
    await rig.live([hour], {
      trigger: { event: { kind: 'action', name: 'cartd' }, maxAge: null },
      exit: [{ segment: 'vip', when: 'leaves' }],
    });
    await rig.does('cartd');
    await rig.does('view');
    await rig.settle();
    await rig.register();
    await rig.settle();

    expect([await rig.members(), await rig.runs()]).toMatchObject([
      [],
      [{ status: 'active', node: 'hour' }],
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
