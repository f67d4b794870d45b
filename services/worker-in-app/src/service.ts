import { inboxWorker } from '@tidings/channel-worker';
import { inAppConfig } from './config.ts';

export const service = inboxWorker({ channel: 'IN_APP', config: inAppConfig });
