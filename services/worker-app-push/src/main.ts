import { runChannelWorker } from '@tidings/channel-worker';
import { createAppPushChannel } from './app-push-channel.ts';
import { appPushConfig } from './config.ts';

await runChannelWorker({
  channel: 'APP_PUSH',
  config: appPushConfig,
  create: createAppPushChannel,
});
