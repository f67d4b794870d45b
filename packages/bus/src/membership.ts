import type { Consumer as KafkaConsumer } from 'kafkajs';
import type { Logger } from '@tidings/platform';
import { joins } from './group-metrics.ts';
import type { Leases } from './leases.ts';
import type { Liveness } from './liveness.ts';

const SESSION_CHECK_MS = 1_000;

export type MembershipWatch = {
  readonly leases: Leases;
  readonly liveness: Liveness;
  readonly logger: Logger;
  readonly group: string;
  readonly sessionTimeoutMs: number;
};

/**
 * Ends the leases of a consumer when it loses its membership. The returned function stops watching.
 */
export function watchMembership(
  consumer: KafkaConsumer,
  { leases, liveness, logger, group, sessionTimeoutMs }: MembershipWatch,
): () => void {
  const { events } = consumer;
  let heardAt = performance.now();

  function heard(): void {
    heardAt = performance.now();
    liveness.client();
  }

  const removers = [
    consumer.on(events.FETCH, () => liveness.client()),
    consumer.on(events.HEARTBEAT, heard),
    // Finished work may still be committed until the new generation starts; the broker fences later
    // commits.
    consumer.on(events.REBALANCING, () => leases.end('the group rebalances')),
    consumer.on(events.GROUP_JOIN, ({ payload }) => {
      leases.lose('the group has a new generation');
      heard();
      joins.inc({ group });
      logger.info({ assignment: payload.memberAssignment }, 'consumer joined');
    }),
    consumer.on(events.STOP, () => leases.lose('the consumer left the group')),
    consumer.on(events.CRASH, ({ payload: { error, restart } }) => {
      leases.lose('the consumer crashed');
      if (restart) {
        // Kafka is unavailable; another process would not do better.
        liveness.client();
        logger.warn({ err: error }, 'consumer crashed, restarting');
      } else {
        liveness.crash();
        logger.error({ err: error }, 'consumer crashed and cannot restart');
      }
    }),
  ];

  const timer = setInterval(() => {
    if (performance.now() - heardAt <= sessionTimeoutMs) return;
    // The group has reassigned the partitions by now, even if this member cannot learn of it.
    leases.end('no heartbeat within the session timeout');
  }, SESSION_CHECK_MS).unref();

  return () => {
    clearInterval(timer);
    for (const remove of removers) remove();
  };
}
