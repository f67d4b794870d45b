import { runOfferingWorker } from '@tidings/channel-worker';
import { onSiteConfig } from './config.ts';

await runOfferingWorker({ channel: 'ON_SITE', config: onSiteConfig });
