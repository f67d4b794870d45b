import type { ChannelState } from '@tidings/web/src/api/types.ts';
import { IDLE_HEALTH } from './channel-health.ts';

const MINUTE_MS = 60_000;
const now = Date.now();

/** SMS with three accounts: one sends, one is paused, and one is probed soon. */
export const SMS_ACCOUNTS = {
  channel: 'SMS',
  health: IDLE_HEALTH,
  status: 'ready',
  testedAt: now - 90 * MINUTE_MS,
  settings: {},
  accounts: [
    {
      name: 'twilio',
      provider: 'twilio',
      share: 70,
      status: 'ready',
      testedAt: now - 90 * MINUTE_MS,
      settings: {
        accountSid: `AC${'0'.repeat(32)}`,
        authToken: '********',
        from: '+15005550006',
      },
    },
    {
      name: 'twilio-us',
      provider: 'twilio',
      share: 30,
      status: 'ready',
      testedAt: now - 90 * MINUTE_MS,
      pause: {
        reason: 'provider_auth',
        providerCode: '20003',
        providerMessage: 'Authenticate',
        pausedAt: now - 12 * MINUTE_MS,
      },
      settings: {
        accountSid: `AC${'1'.repeat(32)}`,
        authToken: '********',
        messagingServiceSid: `MG${'0'.repeat(32)}`,
      },
    },
    {
      name: 'german',
      provider: 'vonage',
      countries: ['DE', 'AT', 'CH'],
      status: 'ready',
      testedAt: now - 90 * MINUTE_MS,
      breaker: {
        cause: 'failures',
        openedAt: now - MINUTE_MS,
        probeAt: now + MINUTE_MS,
        workers: 1,
      },
      settings: {
        apiKey: 'a1b2c3d4',
        applicationId: '01a1fd9f-1111-7000-8000-000000000002',
        privateKey: '********',
        signatureSecret: '********',
        from: 'Shop',
      },
    },
  ],
} as const satisfies ChannelState;

const server = (host: string) => ({
  host,
  port: 587,
  security: 'starttls',
  username: 'shop',
  password: '********',
});

/** EMAIL with two servers; the second one is not tested. */
export const EMAIL_ACCOUNTS = {
  channel: 'EMAIL',
  health: IDLE_HEALTH,
  status: 'ready',
  testedAt: now - 90 * MINUTE_MS,
  settings: {
    fromAddress: 'shop@example.com',
    fromName: 'The shop',
    dkimDomain: 'example.com',
    dkimSelector: 'tidings',
    dkimPrivateKey: '********',
    bounceDomain: 'bounces.example.com',
    bounceSecret: '********',
  },
  accounts: [
    {
      name: 'main',
      provider: 'smtp',
      status: 'ready',
      testedAt: now - 90 * MINUTE_MS,
      settings: server('smtp.example.com'),
    },
    {
      name: 'spare',
      provider: 'smtp',
      status: 'untested',
      testedAt: null,
      settings: server('spare.example.com'),
    },
  ],
} as const satisfies ChannelState;
