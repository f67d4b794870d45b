import { channelWorker } from '@tidings/channel-worker';
import { createSmsChannel } from './sms-channel.ts';
import { smsConfig } from './config.ts';

export const service = channelWorker({
  channel: 'SMS',
  config: smsConfig,
  create: createSmsChannel,
});
