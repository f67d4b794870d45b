import { afterEach, expect, test } from '@jest/globals';
import kafkajs from 'kafkajs';
import { createLogger } from '@tidings/platform';
import { Leases } from './leases.ts';
import { createLiveness, type Liveness } from './liveness.ts';
import { watchMembership } from './membership.ts';
import { until } from './until.ts';

let stopWatching: (() => void) | undefined;

afterEach(() => stopWatching?.());

/** A kafkajs consumer that never connects: the test emits its events. */
function watched(sessionTimeoutMs = 60_000): {
  leases: Leases;
  liveness: Liveness;
  emit(name: string, payload: object): void;
} {
  const listeners = new Map<string, (event: object) => void>();
  const consumer = new kafkajs.Kafka({
    brokers: ['127.0.0.1:1'],
    logLevel: kafkajs.logLevel.NOTHING,
  }).consumer({ groupId: 'g' });
  consumer.on = (name: string, listener: (event: never) => void) => {
    listeners.set(name, (event) => listener(event as never));
    return () => listeners.delete(name);
  };
  const leases = new Leases();
  const liveness = createLiveness({ silenceMs: 60_000, stallMs: 60_000 });
  stopWatching = watchMembership(consumer, {
    leases,
    liveness,
    logger: createLogger('test', 'silent'),
    group: 'g',
    sessionTimeoutMs,
  });
  return {
    leases,
    liveness,
    emit: (name, payload) => listeners.get(`consumer.${name}`)?.({ payload }),
  };
}

test('a rebalance aborts the work, and finished work may still be committed', () => {
  const { leases, emit } = watched();
  const lease = leases.current();

  emit('rebalancing', {});

  expect(lease.signal.aborted).toBe(true);
  expect(lease.isLost()).toBe(false);
});

test.each(['group_join', 'stop', 'crash'])(
  'after %s nothing of before is committed, and new work has a fresh lease',
  (name) => {
    const { leases, emit } = watched();
    const before = leases.current();

    emit(name, { memberAssignment: {}, error: new Error('crash'), restart: true });

    expect(before.signal.aborted).toBe(true);
    expect(before.isLost()).toBe(true);
    expect(leases.current().signal.aborted).toBe(false);
    expect(leases.current().isLost()).toBe(false);
  },
);

test('a crash that kafkajs recovers from leaves the consumer alive, one for good does not', () => {
  const { liveness, emit } = watched();

  emit('crash', { error: new Error('away'), restart: true });
  expect(liveness.isAlive()).toBe(true);
  emit('crash', { error: new TypeError('a bug'), restart: false });
  expect(liveness.isAlive()).toBe(false);
});

test('a member without heartbeats for the session timeout ends its work, even without an event', async () => {
  const { leases } = watched(10);
  const lease = leases.current();

  await until(() => lease.signal.aborted);

  expect(leases.current().signal.aborted).toBe(false);
});
