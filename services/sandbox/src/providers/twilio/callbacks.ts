import { randomBytes } from 'node:crypto';
import type { PostReply } from '../sms-senders.ts';
import type { StatusReport } from '../status-callbacks.ts';
import {
  DELIVERED_AFTER_MS,
  SENT_AFTER_MS,
  SERVICE_NUMBER,
  statusAt,
  type TwilioMessage,
} from './resource.ts';
import { postSigned } from './signature.ts';

const INBOUND_PATH = '/cb/sms/twilio/inbound';

/** The status callbacks of a message. */
export function statusReports(message: TwilioMessage, authToken: string): readonly StatusReport[] {
  const { statusCallback: url } = message;
  if (url === null) return [];
  return [SENT_AFTER_MS, DELIVERED_AFTER_MS].map((afterMs) => {
    const { status, errorCode } = statusAt(message, message.createdAt + afterMs);
    const parameters = {
      AccountSid: message.accountSid,
      ApiVersion: '2010-04-01',
      From: message.from,
      MessageSid: message.sid,
      MessageStatus: status,
      SmsSid: message.sid,
      SmsStatus: status,
      To: message.to,
      ...(errorCode === null ? {} : { ErrorCode: String(errorCode) }),
    };
    return { afterMs, post: (signal) => postSigned({ authToken, url }, parameters, signal) };
  });
}

/** Posts replies to the sender of a message, to the application that sent it. */
export function repliesTo(
  { accountSid, from, messagingServiceSid, statusCallback }: TwilioMessage,
  authToken: string,
): PostReply | null {
  if (statusCallback === null) return null;
  const url = `${new URL(statusCallback).origin}${INBOUND_PATH}`;
  return async (reply, signal) => {
    const parameters = {
      AccountSid: accountSid,
      ApiVersion: '2010-04-01',
      Body: reply.body,
      From: reply.from,
      MessageSid: `SM${randomBytes(16).toString('hex')}`,
      NumMedia: '0',
      To: messagingServiceSid === null ? from : SERVICE_NUMBER,
      ...(messagingServiceSid === null ? {} : { MessagingServiceSid: messagingServiceSid }),
    };
    return { url, answer: await postSigned({ authToken, url }, parameters, signal) };
  };
}
