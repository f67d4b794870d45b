import { busConfig } from '@tidings/bus';
import { type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

export const eventsConsumerConfig = {
  ...busConfig,
  ...databaseConfig,
} as const satisfies ConfigSpec;
export type EventsConsumerConfig = ConfigOf<typeof eventsConsumerConfig>;
