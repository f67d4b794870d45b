import type { ChannelState } from '@tidings/web/src/api/types.ts';
import type { Answers } from '../pages.ts';
import { AT, list, one } from './values.ts';

const channel: ChannelState = { channel: 'EMAIL', status: 'ready', testedAt: AT, settings: {} };

export const CHANNEL_ANSWERS: Answers = {
  'GET channels': list(channel),
  'GET channels/EMAIL': one(channel),
};
