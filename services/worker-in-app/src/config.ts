import { inboxWorkerConfig } from '@tidings/channel-worker';

/** Nothing of its own: there is no provider to be told of. */
export const inAppConfig = inboxWorkerConfig;
