import { channelWorker } from '@tidings/channel-worker';
import { createWebHookChannel } from './web-hook-channel.ts';
import { webHookConfig } from './config.ts';

export const service = channelWorker({
  channel: 'WEB_HOOK',
  config: webHookConfig,
  create: createWebHookChannel,
});
