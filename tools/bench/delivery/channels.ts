import type { Channel } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import { generateKeyPairSync } from 'node:crypto';
import { createBrowser, subscriptionAt } from './browsers.ts';
import type { Sink } from './sink/start-sink.ts';
import { SINK_PATHS } from './sink/provider-answers.ts';

/** Channels with a provider, measured against a bare client. */
const WORKER_CHANNELS = [
  'EMAIL',
  'WEB_HOOK',
  'SMS',
  'WEB_PUSH',
  'APP_PUSH',
] as const satisfies readonly Channel[];
export type WorkerChannel = (typeof WORKER_CHANNELS)[number];
export type DeliveryChannel = WorkerChannel | 'IN_APP';

export const PROJECT_ID = 'bench';
export const TWILIO_ACCOUNT = {
  accountSid: `AC${'0'.repeat(32)}`,
  authToken: 'any token will do',
} as const;
export const SMS_SENDER = '+15005550006';
export const VAPID_SUBJECT = 'mailto:bench@people.example';

const HOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const KEY_BITS = 2_048;

type Connection = {
  readonly settings: object;
  /** Address of the test message. */ readonly testAddress: string;
};

/** Channel settings that point the bench's application at the sink. */
export const CONNECTION_OF: Readonly<Record<DeliveryChannel, (sink: Sink) => Connection>> = {
  EMAIL: ({ smtpPort }) => ({
    settings: {
      host: '127.0.0.1',
      port: smtpPort,
      security: 'none',
      fromAddress: 'hello@bench.example',
      fromName: 'Bench',
    },
    testAddress: 'user-00000000@people.example',
  }),
  WEB_HOOK: ({ httpUrl }) => ({
    settings: { url: `${httpUrl}/hooks`, secret: HOOK_SECRET },
    testAddress: userOf(0),
  }),
  SMS: ({ httpUrl }) => ({
    settings: { ...TWILIO_ACCOUNT, from: SMS_SENDER, apiBaseUrl: httpUrl },
    testAddress: '+4915100000000',
  }),
  WEB_PUSH: ({ httpUrl }) => ({
    settings: { subject: VAPID_SUBJECT },
    testAddress: JSON.stringify(subscriptionAt(httpUrl, 'test', createBrowser())),
  }),
  APP_PUSH: ({ httpUrl }) => ({
    settings: { serviceAccount: serviceAccount(httpUrl), apiBaseUrl: httpUrl },
    testAddress: 'token-of-the-test',
  }),
  IN_APP: () => ({ settings: {}, testAddress: userOf(0) }),
};

/** Additional settings of a worker. */
export const workerEnv = ({
  httpUrl,
}: Sink): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  [workerName('WEB_PUSH')]: { WEB_PUSH_SERVICES: httpUrl },
});

/** Same ids as the load generator. */
export function userOf(index: number): string {
  return `user-${String(index).padStart(8, '0')}`;
}

function serviceAccount(origin: string): object {
  return {
    type: 'service_account',
    project_id: PROJECT_ID,
    private_key_id: 'bench',
    private_key: generateKeyPairSync('rsa', { modulusLength: KEY_BITS }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
    client_email: `sender@${PROJECT_ID}.iam.gserviceaccount.com`,
    token_uri: `${origin}${SINK_PATHS.tokens}`,
  };
}
