import type { Clock, Ids } from '@tidings/platform';
import type { PostReply } from '../sms-senders.ts';
import type { StatusReport } from '../status-callbacks.ts';
import type { VonageApplication } from './application.ts';
import { withoutPlus, type VonageMessage } from './message.ts';

const INBOUND_PATH = '/cb/sms/vonage/inbound';
const SUBMITTED_AFTER_MS = 100;
const DELIVERED_AFTER_MS = 500;

type Context = {
  readonly application: VonageApplication;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** The status webhooks of a message. */
export function statusReports(message: VonageMessage, ctx: Context): readonly StatusReport[] {
  const { webhookUrl: url, failsWith: code } = message;
  if (url === null) return [];
  const post = (afterMs: number, status: object): StatusReport => ({
    afterMs,
    post: (signal) =>
      postSigned(ctx, url, { body: { ...fieldsOf(message, ctx), ...status }, signal }),
  });
  return [
    post(SUBMITTED_AFTER_MS, { status: 'submitted' }),
    post(
      DELIVERED_AFTER_MS,
      code === null
        ? { status: 'delivered' }
        : {
            status: 'rejected',
            error: {
              type: `https://developer.vonage.com/api-errors/messages#${code}`,
              title: code,
              detail: 'Rejected by the sandbox',
              instance: ctx.ids.uuid(),
            },
          },
    ),
  ];
}

function fieldsOf(
  { messageId, to, from, clientRef, segments }: VonageMessage,
  { clock }: Context,
): object {
  return {
    message_uuid: messageId,
    to: withoutPlus(to),
    from: withoutPlus(from),
    timestamp: new Date(clock.now()).toISOString(),
    channel: 'sms',
    ...(clientRef === null ? {} : { client_ref: clientRef }),
    sms: { count_total: String(segments) },
  };
}

/** Posts replies to the sender of a message, to the application that sent it. */
export function repliesTo({ from, webhookUrl }: VonageMessage, ctx: Context): PostReply | null {
  if (webhookUrl === null) return null;
  const url = `${new URL(webhookUrl).origin}${INBOUND_PATH}`;
  return async (reply, signal) => {
    const body = {
      channel: 'sms',
      message_uuid: ctx.ids.uuid(),
      to: withoutPlus(from),
      from: withoutPlus(reply.from),
      timestamp: new Date(ctx.clock.now()).toISOString(),
      message_type: 'text',
      text: reply.body,
      sms: { num_messages: '1', keyword: (reply.body.split(' ')[0] ?? '').toUpperCase() },
    };
    return { url, answer: await postSigned(ctx, url, { body, signal }) };
  };
}

function postSigned(
  { application, clock, ids }: Context,
  url: string,
  { body, signal }: { readonly body: object; readonly signal: AbortSignal },
): Promise<Response> {
  const text = JSON.stringify(body);
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: application.signCallback(text, { id: ids.uuid(), nowMs: clock.now() }),
    },
    body: text,
    redirect: 'manual',
    signal,
  });
}
