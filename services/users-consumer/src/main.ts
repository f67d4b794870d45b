import { runService } from '@tidings/platform';
import { usersConsumerConfig } from './config.ts';
import { startUsersConsumer } from './service.ts';

await runService({
  name: 'users-consumer',
  config: usersConsumerConfig,
  start: startUsersConsumer,
});
