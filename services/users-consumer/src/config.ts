import { kafkaConfig } from '@tidings/bus';
import { databaseConfig } from '@tidings/postgres/database';
import { type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const usersConsumerConfig = {
  ...kafkaConfig,
  ...databaseConfig,
} as const satisfies ConfigSpec;
export type UsersConsumerConfig = ConfigOf<typeof usersConsumerConfig>;
