// A default import: the package is CommonJS, and Node cannot detect its named exports.
import twilio from 'twilio';
import type {
  InboundSms,
  SmsAccount,
  SmsCallback,
  SmsCallbackProvider,
  SmsStatusReport,
} from '../callback-provider.ts';
import { twilioStatusUpdate } from './status-update.ts';
import { parseOptOutKeyword } from '../opt-out.ts';

const MESSAGE_SID = /^[A-Za-z0-9]{1,64}$/;
const ACCOUNT_SID = /^AC[0-9a-fA-F]{32}$/;

/**
 * No reply: Twilio itself replies to STOP, START and HELP, and a second reply would be redundant.
 */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

type CallbackForm = Readonly<Record<string, string>>;

export const twilioCallbacks: SmsCallbackProvider = {
  read(callback) {
    const form = parseForm(callback.body);
    const accountSid = form?.['AccountSid'];
    if (form === null || accountSid === undefined || !ACCOUNT_SID.test(accountSid)) return null;
    return {
      isSigned: (account) => isSigned(callback, form, account),
      account: { accountSid },
      readStatus: () => readStatus(form),
      readInbound: () => readInbound(form),
    };
  },
  inboundAnswer: { type: 'text/xml', body: NO_ANSWER },
};

/** Null for a repeated parameter, which Twilio does not send. */
function parseForm(body: Buffer): CallbackForm | null {
  const fields = [...new URLSearchParams(body.toString('utf8'))];
  const form = Object.fromEntries(fields);
  return Object.keys(form).length === fields.length ? form : null;
}

/** Twilio signs the URL that it called. Behind proxies that is the public URL. */
function isSigned({ url, headers }: SmsCallback, form: CallbackForm, { secrets }: SmsAccount) {
  const token = secrets?.['authToken'];
  const signature = headers['x-twilio-signature'];
  if (token === undefined || typeof signature !== 'string') return false;
  return twilio.validateRequest(token, signature, url, form);
}

function readStatus(form: CallbackForm): SmsStatusReport {
  const {
    MessageStatus: status = '',
    MessageSid: sid = '',
    ErrorCode: errorCode,
    To: address = '',
  } = form;
  const code = errorCode !== undefined && /^\d{1,6}$/.test(errorCode) ? Number(errorCode) : null;
  return {
    update: twilioStatusUpdate(status, code),
    providerCode: String(code ?? status),
    ...(MESSAGE_SID.test(sid) ? { providerId: sid } : {}),
    address,
  };
}

function readInbound(form: CallbackForm): InboundSms {
  return {
    address: form['From'] ?? '',
    // Twilio's own classification covers other languages.
    keyword: parseOptOutKeyword(form['OptOutType'] ?? form['Body'] ?? ''),
    isSender: (settings) => isSender(settings, form),
  };
}

/** Whether the application sends from the number or messaging service that the phone wrote to. */
function isSender(
  settings: Readonly<Record<string, unknown>>,
  { To, MessagingServiceSid }: CallbackForm,
): boolean {
  const { from, messagingServiceSid } = settings as {
    readonly from?: string;
    readonly messagingServiceSid?: string;
  };
  return messagingServiceSid ? messagingServiceSid === MessagingServiceSid : from === To;
}
