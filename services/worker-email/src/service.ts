import { channelWorker } from '@tidings/channel-worker';
import { createEmailChannel } from './email-channel.ts';
import { emailConfig } from './config.ts';

export const service = channelWorker({
  channel: 'EMAIL',
  config: emailConfig,
  create: createEmailChannel,
});
