import { runService } from '@tidings/platform';
import { eventsConsumerConfig } from './config.ts';
import { startEventsConsumer } from './service.ts';

await runService({
  name: 'events-consumer',
  config: eventsConsumerConfig,
  start: startEventsConsumer,
});
