import { expect, test } from '@jest/globals';
import {
  allNodes,
  type AutomationDefinition,
  type AutomationNode,
} from '@tidings/contracts/automations/definition';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import { isWinnerReason } from '@tidings/contracts/automations/runs';
import { interpret, needsOf, type Answers, type RunPlace } from './interpret.ts';
import { toProgram } from './program.ts';

const DAY_MS = 86_400_000;

/** Nodes with ids of their own. */
const nodesOf = (levels: number): fc.Arbitrary<readonly AutomationNode[]> => {
  const inner = levels === 0 ? fc.constant([]) : nodesOf(levels - 1);
  return fc.array(
    fc.oneof(
      fc.constant({ delay: '1h' }),
      fc.constant({ until: { time: '09:00' } }),
      fc.constant({ until: { attribute: 'expiresOn', offset: '-1d' } }),
      fc.constant({ send: { channel: 'EMAIL', template: 'a' } }),
      fc.constant({
        send: { try: ['EMAIL', 'SMS'].map((channel) => ({ channel, template: 'a' })) },
      }),
      fc.constant({ exit: true }),
      fc.record({
        if: fc.constant({ field: 'country', is: 'DE' }),
        ['then' as const]: inner,
        else: inner,
      }),
      fc.record({
        waitFor: fc.constant({ event: 'order' }),
        timeout: fc.constant('1d'),
        ['then' as const]: inner,
        else: inner,
      }),
      fc.record({
        split: fc.array(fc.record({ weight: fc.integer({ min: 1, max: 9 }), nodes: inner }), {
          minLength: 2,
          maxLength: 3,
        }),
      }),
    ),
    { maxLength: 4 },
  ) as unknown as fc.Arbitrary<readonly AutomationNode[]>;
};

/** Gives the nodes ids in their order. */
function numbered(nodes: readonly AutomationNode[]): AutomationDefinition {
  let next = 0;
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const isNode =
      ['delay', 'until', 'waitFor', 'if', 'split', 'exit'].some((key) => key in value) ||
      'send' in value;
    const id = isNode && !('event' in value) ? { id: `n${(next += 1)}` } : {};
    return {
      ...Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item)])),
      ...id,
    };
  };
  return {
    version: 1,
    name: 'Generated',
    purpose: 'marketing',
    trigger: { event: 'cartd' },
    nodes: walk(nodes) as AutomationNode[],
  };
}

test('every run ends, passes each node once at most, and asks only what it was answered', () => {
  fc.assert(
    fc.property(
      nodesOf(2),
      fc.uuid(),
      fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.integer({ min: -1, max: 1 })), {
        minLength: 1,
        maxLength: 20,
      }),
      (nodes, userId, choices) => {
        const program = toProgram(numbered(nodes));
        const steps = allNodes(program.definition.nodes).length;
        let place: RunPlace = { userId, node: null, waitsUntil: null, skipsSends: false };
        let now = 0;
        const left: string[] = [];
        for (let turn = 0; ; turn += 1) {
          expect(turn).toBeLessThanOrEqual(2 * steps + 1);
          const [isTrue = false, isEarly = false, reached = 0] =
            choices[turn % choices.length] ?? [];
          const needs = needsOf(program, place);
          const answers: Answers = {
            exit: null,
            passesFilter: true,
            conditions: new Map(needs.conditions.map(({ id }) => [id, isTrue])),
            awaited: new Map(needs.waits.map(({ id }) => [id, isTrue ? now : null])),
            calendar: new Map(
              needs.untils.map(({ id }) => [
                id,
                {
                  timeZone: 'Europe/Berlin',
                  applicationZone: 'UTC',
                  date: reached < 0 ? null : reached * DAY_MS,
                },
              ]),
            ),
            reached: new Map(needs.tries.map((id) => [id, reached < 0 ? null : reached])),
          };
          const { trace, state } = interpret(program, place, { answers, now });
          left.push(
            ...trace.filter(({ outcome }) => outcome !== 'waiting').map(({ node }) => node),
          );
          if ('ended' in state) break;
          expect(state.waitsUntil).toBeGreaterThan(now);
          // Woken too early, it waits on.
          now = isEarly && turn < steps ? now + 1 : Math.max(now, state.waitsUntil);
          place = { ...place, node: state.node, waitsUntil: state.waitsUntil };
        }
        expect(new Set(left).size).toBe(left.length);
        expect(now).toBeLessThanOrEqual(steps * 2 * DAY_MS);
      },
    ),
    propertyRuns(1_000),
  );
});

test('everyone takes the better branch of a split that has one, and the trace says so', () => {
  const definition = numbered([
    {
      id: '',
      split: [
        { weight: 9, nodes: [{ id: '', send: { channel: 'EMAIL', template: 'a' } }] },
        { weight: 1, nodes: [{ id: '', exit: true }] },
      ],
    },
    { id: '', split: [1, 1].map((weight) => ({ weight, nodes: [] })) },
  ]);
  const program = toProgram(definition);
  fc.assert(
    fc.property(fc.uuid(), (userId) => {
      const step = (winners?: ReadonlyMap<string, number>) =>
        interpret(
          program,
          { userId, node: null, waitsUntil: null, skipsSends: false },
          { answers: { ...NO_ANSWERS, ...(winners && { winners }) }, now: 0 },
        ).trace.map(({ node, outcome, reason }) => `${node} ${outcome} ${reason ?? ''}`);
      expect(step(new Map([['n1', 1]]))).toEqual(['n1 passed winner:1', 'n3 exited ']);
      const [first, ...others] = step(new Map([['n1', 0]]));
      expect(first).toBe('n1 passed winner:0');
      // The other one divides as before.
      const drawn = step();
      expect(others.at(-1)).toMatch(/^n4 passed [01]$/);
      expect(isWinnerReason(drawn[0]?.split(' ')[2] ?? '')).toBe(false);
    }),
    propertyRuns(200),
  );
});

const NO_ANSWERS: Answers = {
  exit: null,
  passesFilter: true,
  conditions: new Map(),
  awaited: new Map(),
  calendar: new Map(),
  reached: new Map(),
};
