import { runService } from '@tidings/platform';
import { clientApiConfig } from './config.ts';
import { startClientApi } from './service.ts';

await runService({ name: 'client-api', config: clientApiConfig, start: startClientApi });
