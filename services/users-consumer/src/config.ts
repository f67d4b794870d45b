import { busConfig } from '@tidings/bus';
import { type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

export const usersConsumerConfig = {
  ...busConfig,
  ...databaseConfig,
} as const satisfies ConfigSpec;
export type UsersConsumerConfig = ConfigOf<typeof usersConsumerConfig>;
