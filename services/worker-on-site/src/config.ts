import { inboxWorkerConfig } from '@tidings/channel-worker';

/** No settings of its own: the channel has no provider. */
export const onSiteConfig = inboxWorkerConfig;
