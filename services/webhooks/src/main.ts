import { runService } from '@tidings/platform';
import { webhooksConfig } from './config.ts';
import { startWebhooks } from './service.ts';

await runService({ name: 'webhooks', config: webhooksConfig, start: startWebhooks });
