import type {
  AutomationDefinition,
  AutomationNode,
} from '@tidings/contracts/automations/definition';
import { pick, type Random } from './history.ts';

const event = (name: string) => ({ kind: 'action', name }) as const;
const DURATIONS = ['30m', '1h', '2h', '6h', '1d'] as const;
const where = (random: Random) =>
  random() < 0.4 ? { where: [{ attribute: 'price', gte: 20 } as const] } : {};
const chance = (random: Random, share: number): boolean => random() < share;

/** A condition that the evaluator of the test knows. */
const condition = (random: Random) =>
  pick(random, [
    { attribute: 'plan', is: 'pro' },
    { event: event('view') },
    { event: event('view'), within: '6h' },
    { event: event('view'), within: '3h', count: { gte: 2 } },
    { not: { event: event('view'), within: '1d' } },
    {
      any: [
        { attribute: 'plan', is: 'free' },
        { event: event('view'), within: '1h' },
      ],
    },
    { reachable: 'EMAIL' },
  ] as const);

const message = { message: { title: 'Hello', body: 'Your cart waits.' } } as const;
const mail = { channel: 'EMAIL', ...message } as const;
const sms = { channel: 'SMS', message: { body: 'Your cart waits.' } } as const;

/** Any definition of the language whose words are rehearsed. */
export function createAutomation(random: Random): AutomationDefinition {
  const again = pick(random, ['never', 'after', 'always'] as const);
  const exit = chance(random, 0.6)
    ? [
        {
          event: event('order'),
          ...where(random),
          ...(chance(random, 0.6) && { as: 'goal' as const }),
        },
        ...(chance(random, 0.5) ? [{ event: event('view') }] : []),
      ]
    : [];
  const isForGoal = exit.some((each) => 'as' in each);
  const sent: string[] = [];
  let next = 0;
  /** What comes after a node that ends each way is a fault. */
  const nodes = (levels: number, most: number): AutomationNode[] => {
    const list: AutomationNode[] = [];
    const count = Math.floor(random() * (most + 1));
    while (list.length < count && !list.some(ends)) list.push(node(levels));
    return list;
  };
  const node = (levels: number): AutomationNode => {
    next += 1;
    const id = `n${next}`;
    const inner = () => (levels === 0 ? [] : nodes(levels - 1, 2));
    const branches = () => ({ ['then' as const]: inner(), else: inner() });
    const kind = pick(random, [
      'delay',
      'delay',
      'send',
      'send',
      'wait',
      'wait',
      'if',
      'split',
      'heard',
      'exit',
    ]);
    switch (kind) {
      case 'delay':
        return { id, delay: pick(random, DURATIONS) };
      case 'wait':
        return {
          id,
          waitFor: { event: event(pick(random, ['order', 'view', 'cartd'])), ...where(random) },
          timeout: pick(random, DURATIONS),
          ...branches(),
        };
      case 'heard': {
        const of = sent.at(-1);
        if (of === undefined) return { id, delay: '30m' };
        const was = pick(random, ['sent', 'failed', 'clicked'] as const);
        return { id, waitFor: { message: { node: of }, was }, timeout: '30m', ...branches() };
      }
      case 'if':
        return { id, if: condition(random), ...branches() };
      case 'split':
        return {
          id,
          split: [
            { weight: 1 + Math.floor(random() * 3), nodes: inner() },
            { weight: 1 + Math.floor(random() * 3), nodes: inner() },
          ],
          ...(isForGoal && chance(random, 0.7) && { winner: { by: 'goal', after: '1d' } }),
        };
      case 'exit':
        return levels === 2 ? { id, delay: '30m' } : { id, exit: true };
      default:
        // Only at the top, where each run that comes later has passed it.
        if (levels === 2) sent.push(id);
        return { id, send: pick(random, [mail, mail, sms, { try: [sms, mail] }]) };
    }
  };
  const top = nodes(2, 4);
  return {
    version: 1,
    name: 'Generated',
    purpose: pick(random, ['marketing', 'transactional'] as const),
    trigger: {
      event: event('cartd'),
      ...where(random),
      ...(chance(random, 0.5) && { maxAge: pick(random, ['30m', '1h', null]) }),
      ...(chance(random, 0.3) && { from: 'anyone' as const }),
    },
    ...(chance(random, 0.4) && { filter: condition(random) }),
    entry: {
      again,
      ...(again === 'after' && { after: pick(random, DURATIONS) }),
      ...(chance(random, 0.3) && { key: 'item' }),
    },
    ...(exit.length > 0 && { exit }),
    ...(isForGoal && chance(random, 0.5) && { goalWindow: pick(random, DURATIONS) }),
    nodes: [
      ...top,
      ...(top.some(ends)
        ? []
        : [{ id: 'last', ...pick(random, [{ send: mail }, { delay: '6h' }]) }]),
    ],
  };
}

const ends = (node: AutomationNode): boolean => {
  if ('exit' in node) return true;
  if ('split' in node) return node.split.every((branch) => branch.nodes.some(ends));
  return 'then' in node && node.then.some(ends) && node.else.some(ends);
};

/** The filter is not asked before each message. */
export const withoutRecheck = (definition: AutomationDefinition): AutomationDefinition =>
  definition.filter === undefined ? definition : { ...definition, recheckFilter: false };
