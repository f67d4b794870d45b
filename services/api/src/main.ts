import { runService } from '@tidings/platform';
import { apiConfig } from './config.ts';
import { startApi } from './service.ts';

await runService({ name: 'api', config: apiConfig, start: startApi });
