import { afterAll, describe, expect, test } from '@jest/globals';
import type { AutomationNode } from '@tidings/contracts/automations/definition';
import { createOwnDatabase } from '@tidings/testing';
import { cart, event, HOUR_MS, mail, rehearsalRig } from './testing/rig.ts';

// Of its own: what waits in any application is run.
const db = await createOwnDatabase();
afterAll(() => db.close());

const hour: AutomationNode = { id: 'hour', delay: '1h' };
const start = Date.now() - 20 * HOUR_MS;
const said = (lines: readonly { node: string; outcome: string; reason?: string }[]): string[] =>
  lines.map(({ node, outcome, reason }) =>
    [node, outcome, reason].filter((part) => part !== undefined && part !== '').join(' '),
  );

describe('a rehearsal', () => {
  test('counts what would have happened, and shows it line by line', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob']);
    await rig.store(
      { name: 'cartd', at: start },
      { name: 'cartd', of: 'bob', at: start },
      { name: 'order', of: 'bob', at: start + HOUR_MS / 2 },
      { name: 'cartd', of: 'unknown', at: start },
    );

    const result = await rig.rehearse(
      cart([hour, mail('mail1')], { exit: [{ event: event('order'), as: 'goal' }] }),
    );

    expect(result).toMatchObject({
      slug: 'cart',
      status: 'completed',
      people: { rehearsed: 2, of: 2 },
      events: 3,
      cut: null,
      entered: 2,
      active: 0,
      completed: 1,
      exited: 1,
      goals: 1,
      nodes: [
        { id: 'hour', entered: 2, waiting: 0, passed: 1 },
        { id: 'mail1', entered: 1, passed: 1, sent: 1, unreachable: {} },
      ],
      channels: [{ channel: 'EMAIL', sent: 1, unreachable: {} }],
      unreachable: {},
      skipped: {},
    });
    expect(result.days.reduce((sum, { sent }) => sum + sent, 0)).toBe(1);
    const traces = Object.fromEntries(
      result.traces.map(({ customUserId, lines }) => [customUserId, said(lines)]),
    );
    expect(traces).toEqual({
      ada: ['entered', 'hour waiting', 'hour passed', 'mail1 sent'],
      bob: ['entered', 'hour waiting', 'hour goal'],
    });
    expect(result.traces.find(({ customUserId }) => customUserId === 'ada')).toMatchObject({
      enteredAt: start,
      status: 'completed',
      lines: [{ at: start }, {}, { at: start + HOUR_MS }, { channel: 'EMAIL' }],
    });
  });

  test('sends nothing, and enters no one', async () => {
    const rig = await rehearsalRig(db);
    await rig.store({ name: 'cartd', at: start });
    await rig.rehearse(cart([mail('mail1')]));

    const { rows } = await db.sql.query(
      `select (select count(*)::int from deliveries where application_id = $1) as deliveries,
         (select count(*)::int from campaigns where application_id = $1) as campaigns,
         (select count(*)::int from automation_runs where application_id = $1) as runs,
         (select count(*)::int from automation_counters where application_id = $1) as counts`,
      [rig.applicationId],
    );
    expect(rows).toEqual([{ deliveries: 0, campaigns: 0, runs: 0, counts: 0 }]);
  });

  test('begins with no one, counts only what was received in its period, and ends with it', async () => {
    const rig = await rehearsalRig(db);
    await rig.store(
      { name: 'cartd', at: start - HOUR_MS },
      { name: 'cartd', at: start + HOUR_MS },
      { name: 'cartd', at: start + 5 * HOUR_MS },
    );

    const { traces, active } = await rig.rehearse(cart([{ id: 'long', delay: '3h' }]), {
      from: start,
      to: start + 2 * HOUR_MS,
    });

    expect(traces.map(({ enteredAt, status }) => [enteredAt, status])).toEqual([
      [start + HOUR_MS, 'active'],
    ]);
    expect(active).toBe(1);
  });

  test('says why triggers entered no one', async () => {
    const rig = await rehearsalRig(db);
    await rig.store(
      { name: 'cartd', at: start, attributes: { price: 1 } },
      { name: 'cartd', at: start + 1, isProved: false, attributes: { price: 30 } },
      {
        name: 'cartd',
        at: start,
        receivedAt: start + 3 * HOUR_MS,
        attributes: { price: 30 },
      },
      { name: 'cartd', at: start + 4 * HOUR_MS, attributes: { price: 30 } },
      { name: 'cartd', at: start + 5 * HOUR_MS, attributes: { price: 30 } },
    );

    const result = await rig.rehearse(
      cart([mail('mail1')], {
        trigger: { event: event('cartd'), where: [{ attribute: 'price', gt: 20 }] },
        entry: { again: 'never' },
      }),
    );

    expect(result).toMatchObject({
      entered: 1,
      refused: { where: 1, not_proved: 1, max_age: 1, re_entry: 1 },
    });
  });

  test('asks conditions about events at each instant, and profiles as they are now', async () => {
    const rig = await rehearsalRig(db);
    await rig.store(
      { name: 'cartd', at: start },
      { name: 'view', at: start + HOUR_MS },
      { name: 'cartd', at: start + 2 * HOUR_MS },
    );
    const node: AutomationNode = {
      id: 'seen',
      if: { all: [{ event: event('view') }, { reachable: 'EMAIL' }] },
      ['then' as const]: [],
      else: [],
    };

    const { nodes } = await rig.rehearse(
      cart([node], { filter: { field: 'email', exists: true } }),
    );

    expect(nodes).toMatchObject([{ branches: { ['then' as const]: 1, else: 1 } }]);
  });

  test('says who would not get a message, and assumes what becomes of messages', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob']);
    await db.sql.query(
      `update users set fields = '{}' where application_id = $1 and custom_user_id = 'bob'`,
      [rig.applicationId],
    );
    await rig.store({ name: 'cartd', at: start }, { name: 'cartd', of: 'bob', at: start });
    const wait = (id: string, was: 'sent' | 'failed' | 'clicked'): AutomationNode => ({
      id,
      waitFor: { message: { node: 'mail1' }, was },
      timeout: '1h',
      ['then' as const]: [],
      else: [],
    });

    const result = await rig.rehearse(
      cart([mail('mail1'), wait('sent', 'sent'), wait('failed', 'failed'), wait('won', 'clicked')]),
    );

    expect(result).toMatchObject({
      unreachable: { no_address: 1 },
      channels: [{ channel: 'EMAIL', sent: 2, unreachable: { no_address: 1 } }],
      nodes: [
        { id: 'mail1', sent: 2, unreachable: { no_address: 1 } },
        { id: 'sent', branches: { ['then' as const]: 1, else: 1 } },
        { id: 'failed', branches: { ['then' as const]: 1, else: 1 } },
        { id: 'won', branches: { else: 2 } },
      ],
    });
    expect(result.assumptions).toContain('messages_not_sent');
    const sent = result.traces.map(({ customUserId, lines }) => [
      customUserId,
      lines.find(({ outcome }) => outcome === 'sent')?.unreachable,
    ]);
    expect(Object.fromEntries(sent)).toEqual({ ada: undefined, bob: 'no_address' });
  });

  test('gives each value of the key a run', async () => {
    const rig = await rehearsalRig(db);
    await rig.store(
      { name: 'cartd', at: start, attributes: { item: { id: 7 } } },
      { name: 'cartd', at: start + 1, attributes: { item: { id: 'pen' } } },
      { name: 'cartd', at: start + 2, attributes: { item: {} } },
    );

    const { traces, refused } = await rig.rehearse(
      cart([hour], { entry: { again: 'never', key: ['item', 'id'] } }),
    );

    expect(traces.map(({ key }) => key)).toEqual(['7', 'pen']);
    expect(refused).toEqual({ where: 1 });
  });

  test('enters who registers later by the first of what they did before', async () => {
    const rig = await rehearsalRig(db);
    await db.sql.query(
      `update users set registered_at = to_timestamp($2::float8 / 1000) where application_id = $1`,
      [rig.applicationId, start + HOUR_MS / 2],
    );
    await rig.store(
      { name: 'cartd', at: start },
      { name: 'cartd', at: start + 60_000 },
      { name: 'cartd', at: start - HOUR_MS },
    );

    const { traces, refused } = await rig.rehearse(
      cart([mail('mail1')], { entry: { again: 'never' } }),
    );

    expect(traces).toMatchObject([{ enteredAt: start + HOUR_MS / 2, trigger: { at: start } }]);
    expect(refused).toEqual({ re_entry: 1 });
  });
});
