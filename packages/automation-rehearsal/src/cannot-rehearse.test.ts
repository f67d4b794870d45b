import { expect, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { cannotRehearse } from './cannot-rehearse.ts';

const event = { kind: 'action', name: 'cartd' } as const;
const mail = { channel: 'EMAIL', template: 'cart' } as const;
/** Also of words that the language does not have yet. */
const pointers = (overrides: object): string[] =>
  cannotRehearse(
    {
      version: 1,
      name: 'Cart',
      purpose: 'marketing',
      trigger: { event },
      nodes: [{ id: 'hour', delay: '1h' }],
      ...overrides,
    } as AutomationDefinition,
    { segments },
  ).map(({ pointer }) => pointer);
const segments = new Map<string, Condition>([
  ['pro', { attribute: 'plan', is: 'pro' }],
  ['viewers', { event, within: '1d' }],
  ['vip', { all: [{ segment: 'pro' }, { segment: 'viewers' }] }],
  ['ending', { attribute: 'endsOn', before: { ahead: '7d' } }],
]);
const relative = [{ attribute: 'on', before: { ahead: '1d' } }];
const branches = { ['then' as const]: [], else: [] };

test.each([
  ['an event', {}, []],
  ['the API', { trigger: { api: true } }, ['/trigger']],
  ['an unknown word at the top', { pace: { sends: 1 } }, ['/pace']],
  [
    'a split that looks for its better branch',
    { nodes: [{ id: 'a', split: [], winner: { by: 'goal', after: '1d' } }] },
    [],
  ],
  ['an unknown step', { nodes: [{ id: 'a', pray: true }] }, ['/nodes/0/pray']],
  [
    'an unknown word of a step within another',
    {
      nodes: [{ id: 'a', if: {}, ['then' as const]: [{ id: 'b', delay: '1h', of: 1 }], else: [] }],
    },
    ['/nodes/0/then/0/of'],
  ],
  [
    'unknown words of messages',
    {
      nodes: [
        { id: 'a', send: { ...mail, later: true } },
        { id: 'b', send: { try: [mail, { ...mail, later: true }] } },
      ],
    },
    ['/nodes/0/send/later', '/nodes/1/send/try/1/later'],
  ],
  [
    'waits and exits by something else',
    {
      exit: [{ left: 'vip' }],
      nodes: [{ id: 'a', waitFor: { left: 'vip' }, timeout: '1d', ...branches }],
    },
    ['/exit/0', '/nodes/0/waitFor'],
  ],
  [
    'segments of profiles, of which no changes are stored',
    {
      trigger: { segment: 'pro', when: 'enters' },
      exit: [{ segment: 'pro', when: 'leaves' }, { unsubscribed: 'EMAIL' }],
      nodes: [{ id: 'a', waitFor: { segment: 'pro', when: 'enters' }, timeout: '1d', ...branches }],
    },
    ['/trigger/segment', '/exit/0/segment', '/nodes/0/waitFor/segment'],
  ],
  [
    'segments that events or time move people in',
    {
      trigger: { segment: 'vip', when: 'enters' },
      exit: [{ segment: 'viewers', when: 'leaves' }],
      nodes: [
        { id: 'a', waitFor: { segment: 'ending', when: 'enters' }, timeout: '1d', ...branches },
      ],
    },
    [],
  ],
  [
    'what a clock, a date and a message add',
    {
      trigger: { schedule: { cron: '0 9 * * 1' }, segment: 'vip' },
      throttle: { sends: 10, per: '1m' },
      nodes: [{ id: 'a', send: { ...mail, onUnreachable: 'exit', quietHours: 'wait' } }],
    },
    [],
  ],
  ['a date', { trigger: { date: { field: 'birthday' }, at: '09:00', yearly: true } }, []],
  [
    'dates that depend on the moment',
    {
      trigger: { event, where: relative },
      exit: [{ event, where: [{ attribute: 'a', is: 1 }, ...relative] }],
    },
    ['/trigger/where/0', '/exit/0/where/1'],
  ],
] as const)('%s', (_name, overrides, expected) => {
  expect(pointers(overrides)).toEqual(expected);
});
