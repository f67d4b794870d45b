import { runChannelWorker } from '@tidings/channel-worker';
import { webPushConfig } from './config.ts';
import { createWebPushChannel } from './web-push-channel.ts';

await runChannelWorker({
  channel: 'WEB_PUSH',
  config: webPushConfig,
  create: createWebPushChannel,
});
