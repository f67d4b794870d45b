import { describe, expect, test } from '@jest/globals';
import { branch, eventDefinition, hour, mail, tableOf } from './testing/tables.ts';

const { good, withNodes, read } = tableOf({
  definitions: [
    eventDefinition('cartd'),
    eventDefinition('order', { kind: 'revenue' }),
    eventDefinition('gone', { discarded: true }),
    eventDefinition('cart-old', { mergedInto: 'cartd' }),
  ],
  segments: { loyal: { field: 'country', is: 'DE' } },
  trigger: { event: 'cartd' },
  nodes: [hour, mail('mail1')],
});
const wait = (overrides: object = {}) => ({
  id: 'wait',
  waitFor: { event: 'order' },
  timeout: '1d',
  ['then' as const]: [],
  else: [],
  ...overrides,
});
/** Nodes within nodes. */
const deep = (levels: number): object =>
  levels === 1 ? hour : branch(`n${levels}`, [deep(levels - 1)]);
const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};

describe('faults have a pointer and a code', () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    ['no object', [], [' wrong_type']],
    [
      'nothing',
      {},
      [
        '/version required',
        '/name required',
        '/purpose required',
        '/trigger required',
        '/nodes required',
      ],
    ],
    ['another version', { ...good, version: 2 }, ['/version invalid_value']],
    ['a name that is no text', { ...good, name: 1 }, ['/name wrong_type']],
    ['an empty name', { ...good, name: '' }, ['/name empty']],
    ['a long name', { ...good, name: 'x'.repeat(257) }, ['/name too_long']],
    ['a name with U+0000', { ...good, name: 'a\0' }, ['/name invalid_value']],
    ['an unknown purpose', { ...good, purpose: 'spam' }, ['/purpose invalid_value']],
    ['an unknown key', { ...good, nodez: [] }, ['/nodez invalid_value']],
    ['an integer beyond 2^53', { ...good, version: 2n ** 60n }, ['/version out_of_range']],

    ['a trigger that is no object', { ...good, trigger: 'cartd' }, ['/trigger wrong_type']],
    ['a trigger without a kind', { ...good, trigger: {} }, ['/trigger exactly_one_of']],
    [
      'two triggers',
      { ...good, trigger: { event: 'cartd', api: true } },
      ['/trigger exactly_one_of'],
    ],
    ['an unknown event', { ...good, trigger: { event: 'nope' } }, ['/trigger/event invalid_value']],
    [
      'an event by kind and a name that is unknown',
      { ...good, trigger: { event: { kind: 'action', name: 'nope' } } },
      ['/trigger/event invalid_value'],
    ],
    [
      'an event without its name',
      { ...good, trigger: { event: { kind: 'action' } } },
      ['/trigger/event/name required'],
    ],
    [
      'an unknown key of the trigger',
      { ...good, trigger: { event: 'cartd', within: '1d' } },
      ['/trigger/within invalid_value'],
    ],
    ['an api that is false', { ...good, trigger: { api: false } }, ['/trigger/api invalid_value']],
    [
      '`from` of anything else',
      { ...good, trigger: { event: 'cartd', from: 'me' } },
      ['/trigger/from invalid_value'],
    ],
    [
      'an age that is no duration',
      { ...good, trigger: { event: 'cartd', maxAge: '1 hour' } },
      ['/trigger/maxAge invalid_value'],
    ],
    [
      'an age beyond a year',
      { ...good, trigger: { event: 'cartd', maxAge: '366d' } },
      ['/trigger/maxAge out_of_range'],
    ],
    [
      'an empty `where`',
      { ...good, trigger: { event: 'cartd', where: [] } },
      ['/trigger/where empty'],
    ],
    [
      'a comparison without an operator',
      { ...good, trigger: { event: 'cartd', where: [{ attribute: 'price' }] } },
      ['/trigger/where/0 exactly_one_of'],
    ],
    [
      'two operators',
      { ...good, trigger: { event: 'cartd', where: [{ attribute: 'price', is: 1, gt: 2 }] } },
      ['/trigger/where/0 exactly_one_of'],
    ],
    [
      'attributes of revenue',
      { ...good, trigger: { event: 'order', where: [{ attribute: 'price', gt: 2 }] } },
      ['/trigger/where invalid_value'],
    ],

    ['a filter that is no condition', { ...good, filter: { nope: 1 } }, ['/filter exactly_one_of']],
    [
      'a filter of a segment that does not exist',
      { ...good, filter: { segment: 'nope' } },
      ['/filter/segment invalid_value'],
    ],
    [
      'a filter to ask again, without one',
      { ...good, recheckFilter: true },
      ['/recheckFilter invalid_value'],
    ],
    ['an entry without `again`', { ...good, entry: {} }, ['/entry/again required']],
    ['an unknown `again`', { ...good, entry: { again: 'maybe' } }, ['/entry/again invalid_value']],
    ['`after` without its time', { ...good, entry: { again: 'after' } }, ['/entry/after required']],
    [
      'a time without `after`',
      { ...good, entry: { again: 'never', after: '1d' } },
      ['/entry/after invalid_value'],
    ],
    [
      'a time beyond a year',
      { ...good, entry: { again: 'after', after: '53w' } },
      ['/entry/after out_of_range'],
    ],
    ['a key of nothing', { ...good, entry: { again: 'always', key: [] } }, ['/entry/key empty']],
    [
      'a key of a run of the API',
      { ...good, trigger: { api: true }, entry: { again: 'always', key: 'id' } },
      ['/entry/key invalid_value'],
    ],
    ['an exit without an event', { ...good, exit: [{ as: 'goal' }] }, ['/exit/0 exactly_one_of']],
    [
      'an exit by an unknown event',
      { ...good, exit: [{ event: 'order' }, { event: 'nope' }] },
      ['/exit/1/event invalid_value'],
    ],
    [
      'an exit as something else',
      { ...good, exit: [{ event: 'order', as: 'win' }] },
      ['/exit/0/as invalid_value'],
    ],
    [
      'too many exits',
      { ...good, exit: Array.from({ length: 11 }, () => ({ event: 'order' })) },
      ['/exit too_many'],
    ],
    [
      'a window without a goal',
      { ...good, exit: [{ event: 'order' }], goalWindow: '1d' },
      ['/goalWindow invalid_value'],
    ],

    [
      'a throttle of nothing',
      { ...good, throttle: { sends: 0, per: '1m' } },
      ['/throttle/sends out_of_range'],
    ],
    [
      'a throttle that is no number',
      { ...good, throttle: { sends: '5', per: '1m' } },
      ['/throttle/sends wrong_type'],
    ],
    [
      'a throttle without its time',
      { ...good, throttle: { sends: 5 } },
      ['/throttle/per required'],
    ],
    [
      'a throttle within seconds',
      { ...good, throttle: { sends: 5, per: '59s' } },
      ['/throttle/per invalid_value'],
    ],
    [
      'a throttle within months',
      { ...good, throttle: { sends: 5, per: '31d' } },
      ['/throttle/per out_of_range'],
    ],
    [
      'a throttle with a burst',
      { ...good, throttle: { sends: 5, per: '1m', burst: 2 } },
      ['/throttle/burst invalid_value'],
    ],

    ['no nodes', withNodes(), ['/nodes empty']],
    ['nodes that are no list', { ...good, nodes: hour }, ['/nodes wrong_type']],
    ['a node without an id', withNodes({ delay: '1h' }), ['/nodes/0/id required']],
    ['an id of other signs', withNodes({ ...hour, id: 'Ho ur' }), ['/nodes/0/id invalid_value']],
    ['a node without a kind', withNodes({ id: 'a' }), ['/nodes/0 exactly_one_of']],
    ['a node of two kinds', withNodes({ ...hour, ...mail('mail1') }), ['/nodes/0 exactly_one_of']],
    [
      'a node with an unknown key',
      withNodes({ ...hour, note: 1 }),
      ['/nodes/0/note invalid_value'],
    ],
    [
      'an id that occurs twice',
      withNodes(hour, { ...mail('mail1'), id: 'hour' }),
      ['/nodes/1/id invalid_value'],
    ],
    [
      'an id that occurs twice in branches',
      withNodes(hour, branch('b', [hour])),
      ['/nodes/1/then/0/id invalid_value'],
    ],
    ['a delay of nothing', withNodes({ id: 'a', delay: '0m' }), ['/nodes/0/delay invalid_value']],
    [
      'a delay beyond a year',
      withNodes({ id: 'a', delay: '366d' }),
      ['/nodes/0/delay out_of_range'],
    ],
    [
      'a wait without a timeout',
      withNodes({ id: 'a', waitFor: { event: 'order' }, ['then' as const]: [], else: [] }),
      ['/nodes/0/timeout required'],
    ],
    [
      'a wait without branches',
      withNodes({ id: 'a', waitFor: { event: 'order' }, timeout: '1d' }),
      ['/nodes/0/then required', '/nodes/0/else required'],
    ],
    ['a wait for nothing', withNodes(wait({ waitFor: {} })), ['/nodes/0/waitFor exactly_one_of']],
    [
      'a wait for an unknown event',
      withNodes(wait({ waitFor: { event: 'nope' } })),
      ['/nodes/0/waitFor/event invalid_value'],
    ],
    [
      'a wait for what becomes of nothing',
      withNodes(wait({ waitFor: { message: { node: 'mail1' } } })),
      ['/nodes/0/waitFor/was required'],
    ],
    [
      'a wait for an unknown outcome',
      withNodes(mail('mail1'), wait({ waitFor: { message: { node: 'mail1' }, was: 'read' } })),
      ['/nodes/1/waitFor/was invalid_value'],
    ],
    [
      'a wait for a message that comes later',
      withNodes(wait({ waitFor: { message: { node: 'mail1' }, was: 'sent' } }), mail('mail1')),
      ['/nodes/0/waitFor/message/node invalid_value'],
    ],
    [
      'a wait for the message of another branch',
      withNodes({
        ...branch('b', [mail('mail1')]),
        else: [wait({ waitFor: { message: { node: 'mail1' }, was: 'sent' } })],
      }),
      ['/nodes/0/else/0/waitFor/message/node invalid_value'],
    ],
    [
      'a wait for what is no message',
      withNodes(hour, wait({ waitFor: { message: { node: 'hour' }, was: 'sent' } })),
      ['/nodes/1/waitFor/message/node invalid_value'],
    ],
    [
      'a wait beyond a year',
      withNodes(wait({ timeout: '9999999w' })),
      ['/nodes/0/timeout out_of_range'],
    ],
    [
      'a condition that is none',
      withNodes({ ...branch('b', []), if: {} }),
      ['/nodes/0/if exactly_one_of'],
    ],
    [
      'a condition with a fault',
      withNodes({ ...branch('b', []), if: { any: [{ event: 'nope' }] } }),
      ['/nodes/0/if/any/0/event invalid_value'],
    ],
    [
      'a split of one',
      withNodes({ id: 'a', split: [{ weight: 1, nodes: [] }] }),
      ['/nodes/0/split out_of_range'],
    ],
    [
      'a split with a weight of 0',
      withNodes({
        id: 'a',
        split: [
          { weight: 0, nodes: [] },
          { weight: 1, nodes: [] },
        ],
      }),
      ['/nodes/0/split/0/weight out_of_range'],
    ],
    [
      'a split without nodes',
      withNodes({ id: 'a', split: [{ weight: 1 }, { weight: 1, nodes: [] }] }),
      ['/nodes/0/split/0/nodes required'],
    ],
    [
      'a split of eleven',
      withNodes({ id: 'a', split: Array.from({ length: 11 }, () => ({ weight: 1, nodes: [] })) }),
      ['/nodes/0/split too_many'],
    ],
    [
      'an unknown way on of someone unreachable',
      withNodes({ id: 'a', send: { ...mail('a').send, onUnreachable: 'stop' } }),
      ['/nodes/0/send/onUnreachable invalid_value'],
    ],
    [
      'quiet hours that are dropped',
      withNodes({ id: 'a', send: { ...mail('a').send, quietHours: 'drop' } }),
      ['/nodes/0/send/quietHours invalid_value'],
    ],
    [
      'quiet hours of one message of several',
      withNodes({
        id: 'a',
        send: {
          try: [
            { ...mail('a').send, quietHours: 'wait' },
            { channel: 'SMS', template: 'a' },
          ],
        },
      }),
      ['/nodes/0/send/try/0/quietHours invalid_value'],
    ],
    ['a send by no channel', withNodes({ id: 'a', send: {} }), ['/nodes/0/send exactly_one_of']],
    [
      'a send by an unknown channel',
      withNodes({ id: 'a', send: { channel: 'FAX', template: 'a' } }),
      ['/nodes/0/send/channel invalid_value'],
    ],
    [
      'a send of nothing',
      withNodes({ id: 'a', send: { channel: 'SMS' } }),
      ['/nodes/0/send exactly_one_of'],
    ],
    [
      'a send of a template and a message',
      withNodes({ id: 'a', send: { channel: 'SMS', template: 'a', message: { body: 'b' } } }),
      ['/nodes/0/send exactly_one_of'],
    ],
    [
      'a template with another sign',
      withNodes({ id: 'a', send: { channel: 'SMS', template: 'A@x' } }),
      ['/nodes/0/send/template invalid_value'],
    ],
    [
      'a `try` of one',
      withNodes({ id: 'a', send: { try: [{ channel: 'SMS', template: 'a' }] } }),
      ['/nodes/0/send/try out_of_range'],
    ],
    [
      'a fault within `try`',
      withNodes({
        id: 'a',
        send: { try: [{ channel: 'SMS', template: 'a' }, { channel: 'EMAIL' }] },
      }),
      ['/nodes/0/send/try/1 exactly_one_of'],
    ],
    ['an exit that is false', withNodes({ id: 'a', exit: false }), ['/nodes/0/exit invalid_value']],
    [
      'a node that no way leads to',
      withNodes({ id: 'a', exit: true }, hour),
      ['/nodes/1 invalid_value'],
    ],
    [
      'a node after branches that all end',
      withNodes(
        { ...branch('b', [{ id: 'x', exit: true }]), else: [{ id: 'y', exit: true }] },
        hour,
      ),
      ['/nodes/1 invalid_value'],
    ],
    [
      'too many nodes',
      withNodes(
        ...Array.from({ length: 51 }, (_, index) => ({ id: `d${index}`, delay: '1h' })),
        branch(
          'b',
          Array.from({ length: 51 }, (_, index) => ({ id: `e${index}`, delay: '1h' })),
        ),
      ),
      ['/nodes too_many'],
    ],
    [
      'too many messages on one way',
      withNodes(...Array.from({ length: 51 }, (_, index) => mail(`m${index}`))),
      ['/nodes too_many'],
    ],
    [
      'nodes within nodes beyond six',
      withNodes(deep(7)),
      ['/nodes/0/then/0/then/0/then/0/then/0/then/0/then too_deep'],
    ],
    [
      'a thousand levels',
      withNodes(nested(1_000)),
      [expect.stringMatching(/ too_deep$/) as unknown as string],
    ],
    ['a mebibyte', { ...good, name: 'x'.repeat(1024 * 1024) }, [' too_long']],
  ])('%s', (_what, value, errors) => {
    expect(read(value)).toEqual({ errors });
  });
});

describe('what is taken', () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    ['a throttle', { ...good, throttle: { sends: 1000, per: '1m' } }, []],
    [
      'a send that waits while it is quiet, or ends the run',
      withNodes({
        id: 'a',
        send: { ...mail('a').send, quietHours: 'wait', onUnreachable: 'exit' },
      }),
      [],
    ],
    ['the example', good, []],
    [
      'an event that is discarded',
      { ...good, trigger: { event: 'gone' } },
      ['/trigger/event definition_discarded'],
    ],
    ['an event that was merged', { ...good, trigger: { event: 'cart-old' } }, []],
    [
      'events of anyone',
      { ...good, trigger: { event: 'cartd', from: 'anyone' } },
      ['/trigger/from unproved_trigger'],
    ],
    ['events of any age', { ...good, trigger: { event: 'cartd', maxAge: null } }, []],
    ['six levels', withNodes(deep(6)), []],
    [
      'a wait for a message of a branch before',
      withNodes(
        branch('b', [mail('mail1')]),
        wait({ waitFor: { message: { node: 'mail1' }, was: 'clicked' } }),
      ),
      [],
    ],
    ['a node called exit', withNodes({ id: 'exit', delay: '1h' }, mail('then')), []],
    ['a filter of a segment', { ...good, filter: { segment: 'loyal' } }, []],
  ])('%s', (_what, value, warnings) => {
    expect(read(value)).toEqual({ warnings });
  });
});
