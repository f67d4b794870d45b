import { channelWorker } from '@tidings/channel-worker';
import { createWebPushChannel } from './web-push-channel.ts';
import { webPushConfig } from './config.ts';

export const service = channelWorker({
  channel: 'WEB_PUSH',
  config: webPushConfig,
  create: createWebPushChannel,
});
