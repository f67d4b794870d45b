import { describe, expect, test } from '@jest/globals';
import {
  DELIVERY_STATES,
  SUCCESS_STATES,
  type DeliveryState,
  type DeliveryUpdateName,
} from '@tidings/contracts/push/deliveries';
import {
  after,
  decideConsequences,
  type DeliverySoFar,
  type DeliveryUpdate,
  type Note,
} from './outcome-rules.ts';

const delivery = (
  state: DeliveryState,
  noted: readonly Note[] = [],
  attempts = 1,
): DeliverySoFar => ({ state, fence: 3, attempts, noted: new Set(noted) });
const tell = (outcome: DeliveryUpdateName, more: Partial<DeliveryUpdate> = {}): DeliveryUpdate => ({
  deliveryId: 'd',
  outcome,
  ...more,
});
/** The state and the entries in the log that follow. */
const follow = (from: DeliverySoFar, outcome: DeliveryUpdate) => {
  const { change, note } = decideConsequences(from, outcome);
  return [change?.event ?? change?.state, note?.event].filter((event) => event !== undefined);
};

describe('what follows when something becomes known of a delivery', () => {
  test.each<[DeliveryState, DeliveryUpdateName, string[]]>([
    ['sent', 'delivered', ['delivered']],
    ['sent', 'clicked', ['clicked']],
    ['unknown', 'opened', ['opened']],
    ['sending', 'displayed', ['displayed']],
    ['retry_wait', 'delivered', ['delivered']],
    // About to be sent once more, but it was seen.
    ['claimed', 'displayed', ['displayed']],
    ['pending', 'displayed', ['displayed']],
    ['waiting', 'displayed', ['displayed']],
    ['waiting', 'clicked', ['clicked']],
    // Who closes a message has seen it.
    ['waiting', 'dismissed', ['displayed', 'delivery.dismissed']],
    ['sent', 'dismissed', ['displayed', 'delivery.dismissed']],
    ['clicked', 'dismissed', ['delivery.dismissed']],
    // A client that has it has not shown it.
    ['waiting', 'delivered', []],
    // Out of order: the time of each is known, the state stays.
    ['clicked', 'opened', ['delivery.opened']],
    ['opened', 'delivered', ['delivery.delivered']],
    ['sent', 'complained', ['delivery.complained']],
    ['unknown', 'complained', ['sent', 'delivery.complained']],
    ['failed', 'complained', ['delivery.complained']],
    ['opened', 'unsubscribed', ['user.unsubscribed']],
    ['sent', 'bounced', ['bounced']],
    ['delivered', 'bounced', ['bounced']],
    ['unknown', 'bounced', ['bounced']],
    ['opened', 'bounced', []],
    ['failed', 'bounced', []],
  ])('%s, and it %s', (state, outcome, events) => {
    expect(follow(delivery(state), tell(outcome))).toEqual(events);
  });

  test('a message to several devices is shown by one while its outcome is not recorded yet', () => {
    const pending = delivery('pending', [], 0);
    expect(follow(pending, tell('displayed'))).toEqual([]);
    expect(follow({ ...pending, isAddressed: true }, tell('displayed'))).toEqual(['displayed']);
  });

  test.each(['failed', 'expired', 'canceled'] as const)('%s stays so after any update', (state) => {
    for (const outcome of [
      'sent',
      'delivered',
      'displayed',
      'opened',
      'clicked',
      'dismissed',
      'bounced',
    ] as const) {
      expect(decideConsequences(delivery(state), tell(outcome))).toEqual({});
    }
  });

  test('no state moves back, and repeated updates change nothing, in any order', () => {
    const outcomes: DeliveryUpdate[] = (
      [
        'sent',
        'delivered',
        'displayed',
        'opened',
        'clicked',
        'dismissed',
        'complained',
        'unsubscribed',
      ] as const
    ).flatMap((name) => [
      tell(name),
      ...(name === 'opened' || name === 'clicked' ? [tell(name, { isMachine: true })] : []),
    ]);
    const rank = (state: DeliveryState): number => SUCCESS_STATES.indexOf(state as 'sent');
    for (const state of DELIVERY_STATES) {
      for (const first of outcomes) {
        for (const second of outcomes) {
          const once = after(delivery(state), decideConsequences(delivery(state), first));
          const then = after(once, decideConsequences(once, second));
          expect(rank(once.state)).toBeGreaterThanOrEqual(rank(state));
          expect(rank(then.state)).toBeGreaterThanOrEqual(rank(once.state));
          // What meant nothing then may mean something now.
          const told = follow(delivery(state), first).length > 0 ? [first, second] : [second];
          expect(told.map((outcome) => decideConsequences(then, outcome))).toEqual(
            told.map(() => ({})),
          );
        }
      }
    }
  });

  test.each([
    ['opened', 'delivery.machine_opened'],
    ['clicked', 'delivery.machine_clicked'],
  ] as const)('a machine that %s says that the message arrived, and no more', (name, event) => {
    expect(follow(delivery('unknown'), tell(name, { isMachine: true }))).toEqual(['sent', event]);
    expect(follow(delivery('sent'), tell(name, { isMachine: true }))).toEqual([event]);
    // The person comes later.
    expect(follow(delivery('sent', [`machine_${name}`]), tell(name))).toEqual([name]);
  });

  test('what speaks of an earlier attempt changes nothing, nor does what was never sent', () => {
    expect(decideConsequences(delivery('unknown'), tell('delivered', { fence: 2 }))).toEqual({});
    expect(follow(delivery('unknown'), tell('delivered', { fence: 3 }))).toEqual(['delivered']);
    expect(decideConsequences(delivery('claimed'), tell('delivered', { fence: 3 }))).toEqual({});
    expect(decideConsequences(delivery('pending', [], 0), tell('displayed'))).toEqual({});
  });
});
