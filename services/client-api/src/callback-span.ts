import type { Channel } from '@tidings/contracts';
import { inChildSpan, type ActiveSpan } from '@tidings/platform';

export type CallbackTarget = {
  readonly channel: Channel;
  readonly deliveryId: string;
  /** Of the message, where that is traced. */
  readonly traceparent?: string | undefined;
};

/** What a provider says later of a message is a span in the trace of that message, whether or not its own request is traced. */
export function inCallbackSpan<T>(
  { channel, deliveryId, traceparent }: CallbackTarget,
  run: (span: ActiveSpan) => Promise<T>,
): Promise<T> {
  return inChildSpan(
    traceparent,
    {
      name: `callback ${channel}`,
      attributes: { 'tidings.channel': channel, 'tidings.delivery_id': deliveryId },
    },
    run,
  );
}
