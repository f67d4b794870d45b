import { runChannelWorker } from '@tidings/channel-worker';
import { webHookConfig } from './config.ts';
import { createWebHookChannel } from './web-hook-channel.ts';

await runChannelWorker({
  channel: 'WEB_HOOK',
  config: webHookConfig,
  create: createWebHookChannel,
});
