import type { Channel } from '@tidings/contracts/channels/channels';
import { inChildSpan, type ActiveSpan } from '@tidings/platform';

export type CallbackTarget = {
  readonly channel: Channel;
  readonly deliveryId: string;
  /** Traceparent of the message, if it is traced. */
  readonly traceparent?: string | undefined;
};

/**
 * Runs in a span below the message's trace, whether or not the provider's own request is traced.
 */
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
