import { runOfferingWorker } from '@tidings/channel-worker';
import { inAppConfig } from './config.ts';

await runOfferingWorker({ channel: 'IN_APP', config: inAppConfig });
