import type { Bus, Producer } from './bus.ts';
import { createKafkaAdmin } from './kafka-admin.ts';
import { checkFreshClient } from './fresh-client.ts';
import type { KafkaSettings } from './kafka-client.ts';
import { startKafkaConsumer } from './kafka-consumer.ts';
import { createKafkaProducer } from './kafka-producer.ts';
import { createWatchdog, NO_WATCHDOG, type Watchdog } from './watchdog.ts';

/** The production bus: Kafka through kafkajs. Connects on first use. */
export function createKafkaBus(settings: KafkaSettings): Bus {
  const watchdog = startWatchdog(settings);
  const admin = createKafkaAdmin(settings, watchdog);
  const producers: Producer[] = [];
  return {
    admin,
    async producer() {
      const producer = createKafkaProducer(settings, watchdog);
      producers.push(producer);
      return producer;
    },
    consume: (options) => startKafkaConsumer(settings, options),
    async disconnect() {
      watchdog.stop();
      const closing = [
        ...producers.splice(0).map((producer) => producer.disconnect()),
        admin.disconnect(),
      ];
      for (const result of await Promise.allSettled(closing)) {
        if (result.status === 'rejected')
          settings.logger.warn({ err: result.reason }, 'disconnecting from the broker failed');
      }
    },
  };
}

function startWatchdog(settings: KafkaSettings): Watchdog {
  const { onWedged, watchdogBounds: bounds, logger } = settings;
  if (onWedged === undefined) return NO_WATCHDOG;
  return createWatchdog({
    logger,
    onWedged,
    checkFreshClient: (topic) => checkFreshClient(settings, topic),
    ...(bounds !== undefined && { bounds }),
  });
}
