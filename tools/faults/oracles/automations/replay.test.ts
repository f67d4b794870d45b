import { describe, expect, test } from '@jest/globals';
import { toProgram } from '@tidings/automations/program';
import { CART_AUTOMATION } from '../../load/automations/carts.ts';
import { replayRun, type Replayed } from './replay.ts';
import type { StoredLine, StoredRun } from './stored-runs.ts';

const program = toProgram({
  ...CART_AUTOMATION,
  // One branch, so that the person does not decide.
  nodes: CART_AUTOMATION.nodes.map((node) =>
    'split' in node ? { ...node, split: node.split.slice(0, 1) } : node,
  ),
});
const options = { program, waitNode: 'paid' };
const MINUTE_MS = 60_000;
const run = {
  runId: 'r1',
  userId: 'u1',
  customUserId: 'ada',
  key: 'cart',
  status: 'completed',
  hasGoal: false,
} as StoredRun;

const line = (at: number, said: string): StoredLine => {
  const [node = '', outcome = '', reason = null] = said.split(' ');
  return { runId: 'r1', at, node, outcome, reason, deliveryId: null } as StoredLine;
};
const begun = [line(0, ' entered'), line(0, 'minute waiting')];
const passed = [
  line(MINUTE_MS + 200, 'minute passed'),
  line(MINUTE_MS + 200, 'half passed 0'),
  line(MINUTE_MS + 200, 'mail1 sent'),
];
const timedOut = [
  line(MINUTE_MS + 200, 'paid waiting'),
  line(2 * MINUTE_MS + 500, 'paid passed else'),
  line(2 * MINUTE_MS + 500, 'mail2 sent'),
];
const replay = (lines: readonly StoredLine[], more: Partial<Replayed> = {}) =>
  replayRun({ run, lines, exits: [], awaited: [], ...more }, options);
const surely = { time: 1, maybeFrom: 0, surelyFrom: 0 };
const maybe = { time: 30_000, maybeFrom: 30_000, surelyFrom: Infinity };

describe('a replay', () => {
  test('of a run that went its way differs in nothing, and knows how late its timers were', () => {
    expect(replay([...begun, ...passed, ...timedOut])).toEqual({
      differences: [],
      lateMs: [200, 300],
    });
  });

  test('takes what was surely stored, and leaves the rest to the trace', () => {
    const paid = [...begun, ...passed, line(MINUTE_MS + 200, 'paid passed then')];

    expect(replay(paid, { awaited: [surely] }).differences).toEqual([]);
    expect(replay(paid, { awaited: [maybe] }).differences).toEqual([]);
    expect(replay([...begun, ...passed, ...timedOut], { awaited: [maybe] }).differences).toEqual(
      [],
    );
    expect(
      replay([...begun, line(31_000, 'minute goal')], {
        exits: [maybe],
        run: { ...run, status: 'exited', hasGoal: true },
      }).differences,
    ).toEqual([]);
  });

  test('knows where waits ended that were cut short, though their timers were handled late', () => {
    const cuts = new Map([
      ['minute', 3_000],
      ['paid', 6_000],
    ]);
    const lines = [
      ...begun,
      line(3_200, 'minute passed'),
      line(3_200, 'half passed 0'),
      line(3_200, 'mail1 sent'),
      line(3_200, 'paid waiting'),
      line(30_000, 'paid passed else'),
      line(30_000, 'mail2 sent'),
    ];
    const paidAt = (time: number) => ({ time, maybeFrom: time, surelyFrom: time });

    expect(replay(lines, { cuts })).toEqual({ differences: [], lateMs: [200, 24_000] });
    expect(replay(lines, { cuts, awaited: [paidAt(6_001)] }).differences).toEqual([]);
    expect(replay(lines, { cuts, awaited: [paidAt(6_000)] }).differences).toHaveLength(1);
    expect(replay(lines).differences).toHaveLength(1);
  });

  test('misses no event that was committed after its last step', () => {
    const stored = [{ ...surely, surelyFrom: 3 * MINUTE_MS }];

    expect(replay([...begun, ...passed, ...timedOut], { exits: stored }).differences).toEqual([]);
  });

  test('takes a goal after the end', () => {
    expect(
      replay([...begun, ...passed, ...timedOut, line(2 * MINUTE_MS + 900, ' goal')], {
        exits: [{ ...maybe, maybeFrom: 0 }],
        run: { ...run, hasGoal: true },
      }).differences,
    ).toEqual([]);
  });

  test.each<[string, readonly StoredLine[], Partial<Replayed>]>([
    ['no entry', begun.slice(1), {}],
    ['a wait that ended early', [...begun, line(MINUTE_MS - 1, 'minute passed')], {}],
    ['a send that was left out', [...begun, ...passed.slice(0, 2), ...timedOut], {}],
    [
      'a send that was repeated',
      [...begun, ...passed, line(MINUTE_MS + 900, 'mail1 sent'), ...timedOut],
      {},
    ],
    ['an exit that nothing asked for', [...begun, line(31_000, 'minute goal')], {}],
    ['an exit that was missed', [...begun, ...passed, ...timedOut], { exits: [surely] }],
    ['a payment that was missed', [...begun, ...passed, ...timedOut], { awaited: [surely] }],
    ['a run that stopped on its way', [...begun, ...passed], {}],
    ['another end', [...begun, ...passed, ...timedOut], { run: { ...run, status: 'exited' } }],
    [
      'a goal that no one reached',
      [...begun, ...passed, ...timedOut],
      { run: { ...run, hasGoal: true } },
    ],
  ])('finds %s', (_what, lines, more) => {
    expect(replay(lines, more).differences).toHaveLength(1);
  });
});
