import { INBOX_CHANNELS, type InboxChannel } from '@tidings/contracts/channels/channels';
import { parseExactJson } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import { Type } from 'typebox';
import type { ReceivedMessage } from '../messages/message.ts';
import type { ServerEvent } from './server-events.ts';

type InboxEvent = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly channel: InboxChannel;
  readonly message: { readonly title?: string | null; readonly body: string };
};

const parseInboxEvent = createValidator<InboxEvent>(
  Type.Object({
    deliveryId: Type.String(),
    campaignId: Type.String(),
    channel: Type.Unsafe<InboxChannel>({ enum: INBOX_CHANNELS }),
    message: Type.Object({
      title: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
      body: Type.String(),
    }),
  }),
);

export type InboxMessage = ReceivedMessage & {
  readonly channel: InboxChannel;
  readonly deliveryId: string;
};

/**
 * Converts a `message` event for a device of `customUserId`; undefined for other events and invalid
 * ones.
 */
export function readInboxMessage(
  { id, event, data }: ServerEvent,
  { customUserId, deviceId }: { readonly customUserId: string; readonly deviceId: string },
): InboxMessage | undefined {
  if (event !== 'message') return undefined;
  const offered = parseInboxEvent(parseJson(data));
  if (!offered.ok) return undefined;
  const { deliveryId, campaignId, channel, message, ...rest } = offered.value;
  return {
    channel,
    to: customUserId,
    campaignId,
    deliveryId,
    title: message.title ?? null,
    body: message.body,
    data: { html: message.body, message, deviceId, ...rest },
    raw: `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}`,
  };
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
