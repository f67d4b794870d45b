import { kafkaConfig } from '@tidings/bus';
import { databaseConfig } from '@tidings/db';
import { type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const eventsConsumerConfig = { ...kafkaConfig, ...databaseConfig } as const satisfies ConfigSpec;
export type EventsConsumerConfig = ConfigOf<typeof eventsConsumerConfig>;
