import type {
  AutomationDefinition,
  AutomationExit,
  AutomationNode,
  AutomationTrigger,
} from '@tidings/contracts/automations/definition';
import type { UntilNode } from '@tidings/contracts/automations/calendar';
import { pick, type Random } from './history.ts';

const event = (name: string) => ({ kind: 'action', name }) as const;
const DURATIONS = ['30m', '1h', '2h', '6h', '1d'] as const;
const where = (random: Random) =>
  random() < 0.4 ? { where: [{ attribute: 'price', gte: 20 } as const] } : {};
const chance = (random: Random, share: number): boolean => random() < share;

/** Segments that definitions name. Views and time make members, plans and changes of them. */
export const AGREED_SEGMENTS = {
  pro: { attribute: 'plan', is: 'pro' },
  viewers: { event: event('view'), within: '6h' },
  idle: { not: { event: event('view'), within: '1d' } },
} as const;
type AgreedSegment = keyof typeof AGREED_SEGMENTS;
const SEGMENTS: readonly AgreedSegment[] = ['pro', 'viewers', 'idle'];

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

const until = (random: Random): UntilNode['until'] =>
  chance(random, 0.5)
    ? {
        time: pick(random, ['09:00', '13:15', '00:00', '22:30']),
        ...(chance(random, 0.3) && {
          days: pick(random, [['mon', 'thu'], ['sat'], ['tue', 'wed', 'fri', 'sun']] as const),
        }),
        ...(chance(random, 0.3) && { zone: pick(random, ['user', 'application'] as const) }),
      }
    : {
        attribute: 'endsOn',
        ...(chance(random, 0.5) && { offset: pick(random, ['-1d', '1d', '-2h', '30m'] as const) }),
        ...(chance(random, 0.4) && { time: pick(random, ['09:00', '18:30']) }),
      };

/**
 * Words of definitions: those of events, also schedules, dates and segments, or also segments of
 * profiles, which are not rehearsed. Exits by events and by segments are not drawn together: of two at one instant it is not
 * said which one ends a run.
 */
export type Words = 'events' | 'rehearsed' | 'all';

/** Any definition of the language, with these words. */
export function createAutomation(random: Random, words: Words): AutomationDefinition {
  const hasSegments = words !== 'events';
  const lived = words === 'all' ? SEGMENTS : SEGMENTS.filter((each) => each !== 'pro');
  const moment = () => pick(random, ['enters', 'leaves'] as const);
  const again = pick(random, ['never', 'after', 'always'] as const);
  const asGoal = () => chance(random, 0.6) && { as: 'goal' as const };
  const ofEvents = () => [
    { event: event('order'), ...where(random), ...asGoal() },
    ...(chance(random, 0.5) ? [{ event: event('view') }] : []),
  ];
  const ofSegment = () => [{ segment: pick(random, lived), when: moment(), ...asGoal() }];
  const unsubscribed = { unsubscribed: 'EMAIL' } as const;
  const exit = chance(random, 0.6)
    ? pick<() => AutomationExit[]>(random, [
        ofEvents,
        ofEvents,
        () => [unsubscribed],
        () => [...ofEvents(), unsubscribed],
        ...(hasSegments ? [ofSegment, ofSegment] : []),
      ])()
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
  const options = () => ({
    ...(chance(random, 0.3) && { onUnreachable: pick(random, ['next', 'exit'] as const) }),
    ...(chance(random, 0.4) && { quietHours: 'wait' as const }),
  });
  const node = (levels: number): AutomationNode => {
    next += 1;
    const id = `n${next}`;
    const inner = () => (levels === 0 ? [] : nodes(levels - 1, 2));
    const branches = () => ({ ['then' as const]: inner(), else: inner() });
    const kind = pick(random, [
      'delay',
      'delay',
      'until',
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
      case 'until':
        return { id, until: until(random) };
      case 'wait':
        return {
          id,
          waitFor:
            hasSegments && chance(random, 0.4)
              ? { segment: pick(random, lived), when: moment() }
              : { event: event(pick(random, ['order', 'view', 'cartd'])), ...where(random) },
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
        return {
          id,
          send: { ...pick(random, [mail, mail, sms, { try: [sms, mail] }]), ...options() },
        };
    }
  };
  const top = nodes(2, 4);
  const ofAnEvent = (): AutomationTrigger => ({
    event: event('cartd'),
    ...where(random),
    ...(chance(random, 0.5) && { maxAge: pick(random, ['30m', '1h', null]) }),
    ...(chance(random, 0.3) && { from: 'anyone' as const }),
  });
  const ofSegments: readonly (() => AutomationTrigger)[] = [
    () => ({ segment: pick(random, lived), when: moment() }),
    () => ({ segment: pick(random, lived), when: 'enters', existing: true }),
  ];
  const ofClocks: readonly (() => AutomationTrigger)[] = [
    () => ({
      schedule: {
        cron: pick(random, ['0 9 * * *', '30 */6 * * *', '15 18 * * 1-5']),
        ...(chance(random, 0.5) && { timeZone: 'Europe/Berlin' }),
      },
      segment: pick(random, SEGMENTS),
    }),
    () => ({
      date: { attribute: 'endsOn' },
      at: pick(random, ['09:00', '18:30']),
      ...(chance(random, 0.5) && { offset: pick(random, ['-1d', '1d'] as const) }),
      ...(chance(random, 0.5) && { maxAge: pick(random, ['1h', '1d'] as const) }),
    }),
  ];
  const trigger = pick(random, [
    ofAnEvent,
    ofAnEvent,
    ...(hasSegments ? [...ofClocks, ...ofSegments] : []),
  ])();
  return {
    version: 1,
    name: 'Generated',
    purpose: pick(random, ['marketing', 'transactional'] as const),
    trigger,
    ...(chance(random, 0.4) && { filter: condition(random) }),
    entry: {
      again,
      ...(again === 'after' && { after: pick(random, DURATIONS) }),
      ...('event' in trigger && chance(random, 0.3) && { key: 'item' }),
    },
    ...(exit.length > 0 && { exit }),
    ...(isForGoal && chance(random, 0.5) && { goalWindow: pick(random, DURATIONS) }),
    // So wide that no message waits: how it spaces them, its own test says.
    ...(chance(random, 0.2) && { throttle: { sends: 1_000_000, per: '1m' as const } }),
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
