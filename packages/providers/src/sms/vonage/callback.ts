import type {
  InboundSms,
  SmsAccount,
  SmsCallback,
  SmsCallbackProvider,
  SmsStatusReport,
} from '../callback-provider.ts';
import { parseOptOutKeyword } from '../opt-out.ts';
import { toVonageProblem } from './problem.ts';
import { isSigned, readSignedToken, type SignedToken } from './signature.ts';
import { vonageStatusUpdate } from './status-update.ts';

type Fields = Readonly<Record<string, unknown>>;

const MESSAGE_ID = /^[A-Za-z0-9-]{1,64}$/;

export const vonageCallbacks: SmsCallbackProvider = {
  read(callback) {
    const token = readSignedToken(callback.headers['authorization']);
    const fields = parseFields(callback.body);
    if (token === null || fields === null) return null;
    return {
      isSigned: (account) => isSignedFor(account, token, callback),
      account: { apiKey: token.claims.apiKey },
      readStatus: () => readStatus(fields),
      readInbound: () => readInbound(fields),
    };
  },
  inboundAnswer: { type: 'text/plain', body: '' },
};

function isSignedFor(
  { settings, secrets }: SmsAccount,
  token: SignedToken,
  { body, receivedAt }: SmsCallback,
): boolean {
  const secret = secrets?.['signatureSecret'];
  return (
    secret !== undefined &&
    secret !== '' &&
    settings['apiKey'] === token.claims.apiKey &&
    isSigned(token, { secret, body, nowMs: receivedAt })
  );
}

function readStatus({ status, error, message_uuid: id, to }: Fields): SmsStatusReport {
  const { code } = toVonageProblem(error);
  return {
    update: vonageStatusUpdate(status, code),
    providerCode: code ?? textOf(status),
    ...(typeof id === 'string' && MESSAGE_ID.test(id) ? { providerId: id } : {}),
    address: withPlus(to),
  };
}

function readInbound({ from, to, text }: Fields): InboundSms {
  return {
    address: withPlus(from),
    keyword: parseOptOutKeyword(textOf(text)),
    isSender: (settings) => textOf(settings['from']).replace(/^\+/, '') === textOf(to),
  };
}

/** A number as Vonage writes it, in E.164. */
const withPlus = (number: unknown): string => `+${textOf(number)}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function parseFields(body: Buffer): Fields | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}
