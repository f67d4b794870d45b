import { inboxWorker } from '@tidings/channel-worker';
import { onSiteConfig } from './config.ts';

export const service = inboxWorker({ channel: 'ON_SITE', config: onSiteConfig });
