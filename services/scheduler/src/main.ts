import { runService } from '@tidings/platform';
import { schedulerConfig } from './config.ts';
import { startScheduler } from './service.ts';

await runService({ name: 'scheduler', config: schedulerConfig, start: startScheduler });
