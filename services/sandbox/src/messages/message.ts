import type { Channel } from '@tidings/contracts/channels/channels';

/** A message that a stand-in provider accepted from a worker. */
export type ReceivedMessage = {
  readonly channel: Channel;
  /** The address given to the provider; for e-mail the envelope recipient. */
  readonly to: string;
  readonly campaignId: string | null;
  readonly deliveryId: string | null;
  readonly title: string | null;
  readonly body: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The provider request as text. */
  readonly raw: string;
};

/**
 * A stored message, as `GET /api/messages` returns it; `receivedAt` in milliseconds since the
 * epoch.
 */
export type StoredMessage = ReceivedMessage & { readonly id: string; readonly receivedAt: number };

/** Filter; an absent field matches any value. `to` is the whole address, in any letter case. */
export type MessageFilter = {
  readonly channel?: Channel;
  readonly to?: string;
  readonly campaignId?: string;
};

/**
 * `repeated`: messages beyond the first of their delivery. A message without a delivery id never
 * counts as repeated.
 */
export type MessageCounts = {
  readonly total: number;
  readonly unique: number;
  readonly repeated: number;
};
