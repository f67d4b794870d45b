import { channelWorker } from '@tidings/channel-worker';
import { createAppPushChannel } from './app-push-channel.ts';
import { appPushConfig } from './config.ts';

export const service = channelWorker({
  channel: 'APP_PUSH',
  config: appPushConfig,
  create: createAppPushChannel,
});
