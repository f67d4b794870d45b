import { afterAll, describe, expect, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { createOwnDatabase } from '@tidings/testing';
import {
  cart,
  enteredSince,
  event,
  HOUR_MS,
  mail,
  PERIOD as period,
  rehearsalRig,
} from './testing/rig.ts';

// Of its own: what waits in any application is run.
const db = await createOwnDatabase();
afterAll(() => db.close());

const entered = enteredSince(period.from);

describe('a segment', () => {
  const idle = { not: { event: event('view'), within: '2d' } };
  const moving = (overrides: Partial<AutomationDefinition> = {}) =>
    cart([mail('mail1')], { trigger: { segment: 'idle', when: 'enters' }, ...overrides });
  const views = (of: string, ...hours: readonly number[]) =>
    hours.map((hour) => ({ name: 'view', of, at: period.from + hour * HOUR_MS }));

  test('enters people when time or an event makes them members, or none any more', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob', 'cem', 'dan']);
    await rig.segment('idle', idle);
    // Bob is idle from the first, until he looks. Cem registers on the fourth day, idle.
    await rig.store(...views('ada', -1, 100), ...views('bob', 50), ...views('dan', -40, 5, 40));
    await rig.profile('cem', {}, period.from + 90 * HOUR_MS);

    const enters = await rig.rehearse(moving(), period);
    const leaves = await rig.rehearse(
      moving({ trigger: { segment: 'idle', when: 'leaves' } }),
      period,
    );

    expect(entered(enters)).toEqual([
      ['ada', 47, 47, null],
      ['ada', 148, 148, null],
      ['bob', 98, 98, null],
      ['cem', 90, 90, null],
      ['dan', 88, 88, null],
    ]);
    expect(enters).toMatchObject({ status: 'completed', people: { rehearsed: 4, of: 4 } });
    expect(entered(leaves)).toEqual([
      ['ada', 100, 100, null],
      ['bob', 50, 50, null],
    ]);
  });

  test('enters its members of the beginning, if they are asked for', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob']);
    await rig.segment('idle', idle);
    await rig.store(...views('ada', -1));

    const result = await rig.rehearse(
      moving({ trigger: { segment: 'idle', when: 'enters', existing: true } }),
      period,
    );

    expect(entered(result)).toEqual([
      ['ada', 47, 47, null],
      ['bob', 0, 0, null],
    ]);
  });

  test('ends waits and runs, also as a goal after the last step', async () => {
    const rig = await rehearsalRig(db, ['ada', 'bob', 'cem']);
    await rig.segment('idle', idle);
    for (const each of ['ada', 'bob', 'cem'])
      await rig.store({ name: 'cartd', of: each, at: period.from }, ...views(each, -1));
    await rig.store(...views('bob', 60), ...views('cem', 30));
    const branches = { ['then' as const]: [], else: [] };
    const ways = async (overrides: Partial<AutomationDefinition>) => {
      const { traces } = await rig.rehearse(cart([], overrides), period);
      return Object.fromEntries(
        traces.map(({ customUserId, status, lines }) => [
          customUserId,
          [
            status,
            ...lines.map(({ node, outcome, reason = '', at }) =>
              [node, outcome, reason, (at - period.from) / HOUR_MS].join(' '),
            ),
          ].filter((line) => !line.includes('waiting') && !line.includes('entered')),
        ]),
      );
    };

    expect(
      await ways({
        nodes: [
          {
            id: 'idle',
            waitFor: { segment: 'idle', when: 'enters' },
            timeout: '2d',
            ...branches,
          },
        ],
      }),
    ).toEqual({
      ada: ['completed', 'idle passed then 47'],
      bob: ['completed', 'idle passed then 47'],
      cem: ['completed', 'idle passed else 48'],
    });
    expect(
      await ways({
        exit: [{ segment: 'idle', when: 'enters' }],
        nodes: [{ id: 'days', delay: '50h' }],
      }),
    ).toEqual({
      ada: ['exited', 'days exited  47'],
      bob: ['exited', 'days exited  47'],
      cem: ['completed', 'days passed  50'],
    });
    expect(
      await ways({
        exit: [{ segment: 'idle', when: 'leaves', as: 'goal' }],
        nodes: [{ id: 'hour', delay: '1h' }],
      }),
    ).toEqual({
      ada: ['completed', 'hour passed  1'],
      bob: ['completed', 'hour passed  1', ' goal  60'],
      cem: ['completed', 'hour passed  1'],
    });
  });

  test('of profiles alone is refused: when they changed is not stored', async () => {
    const rig = await rehearsalRig(db);
    await rig.segment('idle', { attribute: 'plan', is: 'pro' });
    await rig.write(moving());

    const drafted = await rig.request(period);
    const given = await rig.request({ ...period, definition: moving() });

    const fault = { code: 'invalid_value', expected: expect.stringContaining('is not stored') };
    expect(drafted).toEqual({ errors: [{ pointer: '/trigger/segment', ...fault }] });
    expect(given).toEqual({ errors: [{ pointer: '/definition/trigger/segment', ...fault }] });
  });

  test('is cut by time', async () => {
    const rig = await rehearsalRig(db, ['ada']);
    await rig.segment('idle', idle);
    await rig.store(...views('ada', ...Array.from({ length: 20 }, (_each, no) => no * 5)));
    let ms = 0;
    const clock = { monotonicMs: () => (ms += 1_000) };

    const result = await rig.rehearse(moving(), period, {
      clock,
      bounds: { events: 1e6, ms: 8_000 },
    });

    expect(result).toMatchObject({ cut: 'time', people: { rehearsed: 0, of: 1 }, entered: 0 });
  });
});
