import { describe, expect, test } from '@jest/globals';
import { eventDefinition, hour, tableOf } from './testing/tables.ts';

const { good, withNodes, read } = tableOf({
  definitions: ['cartd', 'order'].map((slug) => eventDefinition(slug)),
  segments: {
    loyal: { field: 'country', is: 'DE' },
    zone: { field: 'timeZone', is: 'UTC' },
    'any-mail': { message: { channel: 'EMAIL' }, was: 'sent' },
    reach: { reachable: 'EMAIL' },
    nested: { not: { segment: 'reach' } },
  },
  trigger: { event: 'cartd' },
  nodes: [hour],
});
const wait = (waitFor: object) => ({
  id: 'wait',
  waitFor,
  timeout: '1d',
  ['then' as const]: [],
  else: [],
});

describe('faults of segments have a pointer and a code', () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    [
      'a segment without a moment',
      { ...good, trigger: { segment: 'loyal' } },
      ['/trigger exactly_one_of'],
    ],
    [
      'a moment without a segment',
      { ...good, trigger: { when: 'enters' } },
      ['/trigger/segment required'],
    ],
    [
      'another moment',
      { ...good, trigger: { segment: 'loyal', when: 'is' } },
      ['/trigger/when invalid_value'],
    ],
    [
      'a segment that there is not',
      { ...good, trigger: { segment: 'nope', when: 'enters' } },
      ['/trigger/segment invalid_value'],
    ],
    [
      'a segment that is not live',
      { ...good, trigger: { segment: 'reach', when: 'enters' } },
      ['/trigger/segment not_live'],
    ],
    [
      'a segment that names one that is not live',
      { ...good, trigger: { segment: 'nested', when: 'enters' } },
      ['/trigger/segment not_live'],
    ],
    [
      '`existing` that is false',
      { ...good, trigger: { segment: 'loyal', when: 'enters', existing: false } },
      ['/trigger/existing invalid_value'],
    ],
    [
      '`existing` of those who leave',
      { ...good, trigger: { segment: 'loyal', when: 'leaves', existing: true } },
      ['/trigger/existing invalid_value'],
    ],
    [
      'an event with a moment',
      { ...good, trigger: { event: 'cartd', when: 'enters' } },
      ['/trigger exactly_one_of'],
    ],
    [
      'an exit by a segment without a moment',
      { ...good, exit: [{ segment: 'loyal' }] },
      ['/exit/0/when required'],
    ],
    [
      'an exit by a segment that is not live',
      { ...good, exit: [{ event: 'order' }, { segment: 'reach', when: 'leaves' }] },
      ['/exit/1/segment not_live'],
    ],
    [
      'an exit by a channel without addresses that are unsubscribed',
      { ...good, exit: [{ unsubscribed: 'WEB_PUSH' }] },
      ['/exit/0/unsubscribed invalid_value'],
    ],
    [
      'a goal of those who unsubscribe',
      { ...good, exit: [{ unsubscribed: 'EMAIL', as: 'goal' }] },
      ['/exit/0/as invalid_value'],
    ],
    [
      'a time for a goal that no exit is',
      { ...good, exit: [{ unsubscribed: 'EMAIL' }], goalWindow: '1d' },
      ['/goalWindow invalid_value'],
    ],
    [
      'a wait for a segment without a moment',
      withNodes(wait({ segment: 'loyal' })),
      ['/nodes/0/waitFor/when required'],
    ],
    [
      'a wait for a segment that there is not',
      withNodes(wait({ segment: 'nope', when: 'enters' })),
      ['/nodes/0/waitFor/segment invalid_value'],
    ],
    [
      'a wait within branches for a segment that is not live',
      withNodes({
        id: 'b',
        if: { field: 'country', is: 'DE' },
        ['then' as const]: [wait({ segment: 'reach', when: 'enters' })],
        else: [],
      }),
      ['/nodes/0/then/0/waitFor/segment not_live'],
    ],
    [
      'a segment by the time zone',
      { ...good, trigger: { segment: 'zone', when: 'enters' } },
      ['/trigger/segment not_live'],
    ],
    [
      'a segment by messages of any campaign',
      { ...good, trigger: { segment: 'any-mail', when: 'enters' } },
      ['/trigger/segment not_live'],
    ],
  ])('%s', (_what, value, errors) => {
    expect(read(value)).toEqual({ errors });
  });
});

describe('what is taken of segments', () => {
  test.each<readonly [string, unknown]>([
    [
      'a segment that starts, ends and wakes runs',
      {
        ...withNodes(wait({ segment: 'loyal', when: 'leaves' })),
        trigger: { segment: 'loyal', when: 'enters', existing: true },
        exit: [{ segment: 'loyal', when: 'leaves', as: 'goal' }, { unsubscribed: 'SMS' }],
        goalWindow: '1d',
      },
    ],
    ['a filter of a segment that is not live', { ...good, filter: { segment: 'reach' } }],
  ])('%s', (_what, value) => {
    expect(read(value)).toEqual({ warnings: [] });
  });
});
