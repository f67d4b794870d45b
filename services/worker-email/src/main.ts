import { runChannelWorker } from '@tidings/channel-worker';
import { emailConfig } from './config.ts';
import { createEmailChannel } from './email-channel.ts';

await runChannelWorker({ channel: 'EMAIL', config: emailConfig, create: createEmailChannel });
