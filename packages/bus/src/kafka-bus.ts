import type { Bus, Producer } from './bus.ts';
import { createKafkaAdmin } from './kafka-admin.ts';
import type { KafkaSettings } from './kafka-client.ts';
import { startKafkaConsumer } from './kafka-consumer.ts';
import { createKafkaProducer } from './kafka-producer.ts';

/** The bus of production: Kafka through kafkajs. Connections are made when they are first needed. */
export function createKafkaBus(settings: KafkaSettings): Bus {
  const admin = createKafkaAdmin(settings);
  const producers: Producer[] = [];
  return {
    admin,
    async producer() {
      const producer = createKafkaProducer(settings);
      producers.push(producer);
      return producer;
    },
    consume: (options) => startKafkaConsumer(settings, options),
    async disconnect() {
      const closing = [...producers.splice(0).map((producer) => producer.disconnect()), admin.disconnect()];
      for (const result of await Promise.allSettled(closing)) {
        if (result.status === 'rejected') settings.logger.warn({ err: result.reason }, 'disconnecting from the broker failed');
      }
    },
  };
}
