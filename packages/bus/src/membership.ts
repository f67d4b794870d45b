import type { Consumer as KafkaConsumer } from 'kafkajs';
import { Counter, type Logger } from '@tidings/platform';
import type { Leases } from './leases.ts';
import type { Liveness } from './liveness.ts';

const joins = new Counter({
  name: 'bus_group_joins_total',
  help: 'Times a consumer joined its group, anew or again.',
  labelNames: ['group'],
});

const SESSION_CHECK_MS = 1_000;

export type MembershipWatch = {
  readonly leases: Leases;
  readonly liveness: Liveness;
  readonly logger: Logger;
  readonly group: string;
  readonly sessionTimeoutMs: number;
};

/** Follows the membership of a consumer: leases end with it. Returns the way to stop watching. */
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
    // What is done may still be committed until the new generation begins; the broker fences what comes too late.
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
        // Kafka is away: another process would fare no better.
        liveness.client();
        logger.warn({ err: error }, 'consumer crashed, starting again');
      } else {
        liveness.crash();
        logger.error({ err: error }, 'consumer crashed for good');
      }
    }),
  ];

  const timer = setInterval(() => {
    if (performance.now() - heardAt <= sessionTimeoutMs) return;
    // By now the group has given the partitions away, even if this member cannot hear of it.
    leases.end('no heartbeat within the session timeout');
  }, SESSION_CHECK_MS).unref();

  return () => {
    clearInterval(timer);
    for (const remove of removers) remove();
  };
}
