import { runInboxWorker } from '@tidings/channel-worker';
import { inAppConfig } from './config.ts';

await runInboxWorker({ channel: 'IN_APP', config: inAppConfig });
