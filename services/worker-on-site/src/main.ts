import { runInboxWorker } from '@tidings/channel-worker';
import { onSiteConfig } from './config.ts';

await runInboxWorker({ channel: 'ON_SITE', config: onSiteConfig });
