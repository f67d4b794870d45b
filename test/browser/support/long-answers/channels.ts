import type { ChannelAccount, ChannelState } from '@tidings/web/src/api/types.ts';
import { failingHealth } from '../channel-health.ts';
import type { Answers } from '../answer-calls.ts';
import { ACCOUNT_NAMES, AT, LONG, PROVIDER_MESSAGE, list, one } from './values.ts';

const channel: ChannelState = {
  channel: 'EMAIL',
  status: 'ready',
  health: failingHealth(AT),
  testedAt: AT,
  settings: {},
};
const COUNTRIES = Array.from({ length: 250 }, (_, index) => (index % 2 === 0 ? 'GS' : 'VC'));
const accounts = ACCOUNT_NAMES.map((name): ChannelAccount => ({
  name,
  provider: 'twilio',
  share: 100,
  countries: COUNTRIES,
  status: 'ready',
  testedAt: AT,
  pause: {
    reason: 'channel_not_configured',
    providerCode: 'ProviderErrorCodeWithoutAnySpaces',
    providerMessage: PROVIDER_MESSAGE,
    pausedAt: AT,
  },
  breaker: { cause: 'rate_limited', openedAt: AT, probeAt: AT, workers: 12 },
  settings: { apiBaseUrl: LONG.url },
}));

export const CHANNEL_ANSWERS: Answers = {
  'GET channels': list(channel),
  'GET channels/EMAIL': one(channel),
  'GET channels/SMS': one<ChannelState>({ ...channel, channel: 'SMS', accounts }),
};
