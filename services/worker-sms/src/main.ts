import { runChannelWorker } from '@tidings/channel-worker';
import { smsConfig } from './config.ts';
import { createSmsChannel } from './sms-channel.ts';

await runChannelWorker({ channel: 'SMS', config: smsConfig, create: createSmsChannel });
