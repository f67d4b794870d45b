import type { SendResult } from '@tidings/channel-worker';
import type { HttpAnswer } from '@tidings/egress';
import { resultWithoutAnswer } from '../refusals.ts';
import type { OutgoingSms, SmsProvider, SmsProviderTools } from '../sms-provider.ts';
import {
  createApplicationTokens,
  KeyRejected,
  type ApplicationTokens,
} from './application-tokens.ts';
import { classifyVonageRejection } from './error-map.ts';
import { buildMessage } from './message.ts';
import { vonageConfig, type VonageConfig } from './settings.ts';

const VONAGE_API = 'https://api.nexmo.com';
const ANSWER_BYTES_MAX = 64 * 1024;

export const vonage = {
  config: vonageConfig,
  create: ({ vonageTimeoutMs }: VonageConfig, { http }: SmsProviderTools): SmsProvider => {
    const tools = { http, tokens: createApplicationTokens(), timeoutMs: vonageTimeoutMs };
    return { send: (sms) => sendMessage(sms, tools) };
  },
} as const;

type Tools = {
  readonly http: SmsProviderTools['http'];
  readonly tokens: ApplicationTokens;
  readonly timeoutMs: number;
};

async function sendMessage(sms: OutgoingSms, tools: Tools): Promise<SendResult> {
  let answer: HttpAnswer;
  try {
    answer = await postMessage(sms, tools);
  } catch (error) {
    if (error instanceof KeyRejected)
      return {
        status: 'configuration',
        reason: 'provider_auth',
        providerCode: 'private_key',
        providerMessage: error.message,
      };
    return resultWithoutAnswer(error);
  }
  if (answer.status !== 202) return classifyVonageRejection(answer);
  const parts = sms.onAccepted();
  const providerId = readMessageId(answer.body);
  // Not a Vonage response: the message may have been accepted.
  if (providerId === undefined)
    return {
      status: 'unknown',
      providerCode: 'unreadable',
      providerMessage: 'an answer without a message id',
    };
  return { status: 'sent', providerId, providerCode: '202', providerMessage: parts };
}

function postMessage(sms: OutgoingSms, { http, tokens, timeoutMs }: Tools): Promise<HttpAnswer> {
  const { settings, secrets, settingsKey, mayBegin, signal } = sms.delivery;
  const { applicationId, apiBaseUrl = VONAGE_API } = settings as {
    readonly applicationId: string;
    readonly apiBaseUrl?: string;
  };
  const { privateKey = '' } = secrets;
  return http.request({
    method: 'POST',
    url: `${apiBaseUrl.replace(/\/+$/, '')}/v1/messages`,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      Authorization: `Bearer ${tokens.get(settingsKey, { applicationId, privateKey })}`,
    },
    body: JSON.stringify(buildMessage(sms, Date.now())),
    timeoutMs,
    answerBytesMax: ANSWER_BYTES_MAX,
    mayBegin,
    signal,
  });
}

function readMessageId(body: string): string | undefined {
  try {
    const { message_uuid: id } = JSON.parse(body) as { readonly message_uuid?: unknown };
    return typeof id === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
