// A default import: the package is CommonJS, and Node cannot detect its named exports.
import twilio from 'twilio';
import type {
  CallbackForm,
  InboundSms,
  SmsCallback,
  SmsCallbackProvider,
  SmsStatusReport,
} from '../callback-provider.ts';
import { twilioStatusUpdate } from './status-update.ts';
import { parseOptOutKeyword } from './opt-out.ts';

const MESSAGE_SID = /^[A-Za-z0-9]{1,64}$/;

/**
 * No reply: Twilio itself replies to STOP, START and HELP, and a second reply would be redundant.
 */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

export const twilioCallbacks: SmsCallbackProvider = {
  slug: 'twilio',
  isSigned,
  readStatus,
  readAccount: (form) => form['AccountSid'] ?? '',
  readInbound,
  inboundAnswer: { type: 'text/xml', body: NO_ANSWER },
};

/** Twilio signs the URL that it called. Behind proxies that is the public URL. */
function isSigned(
  { url, headers, form }: SmsCallback,
  secrets: Readonly<Record<string, string>> | null,
): boolean {
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
    keyword: parseOptOutKeyword(form['Body'] ?? '', form['OptOutType']),
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
