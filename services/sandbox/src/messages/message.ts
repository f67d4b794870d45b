import type { Channel } from '@tidings/contracts';

/** What a stand-in provider accepted from a worker, whatever its protocol. */
export type ReceivedMessage = {
  readonly channel: Channel;
  /** The address as the provider was told it: for e-mail the envelope recipient. */
  readonly to: string;
  readonly campaignId: string | null;
  readonly deliveryId: string | null;
  readonly title: string | null;
  readonly body: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The provider's request as text. */
  readonly raw: string;
};

/** A received message as it is kept and as `GET /api/messages` shows it; `receivedAt` in milliseconds since the epoch. */
export type StoredMessage = ReceivedMessage & { readonly id: string; readonly receivedAt: number };

/** Which messages are meant; an absent field means any. `to` is the whole address, in any letter case. */
export type MessageFilter = {
  readonly channel?: Channel;
  readonly to?: string;
  readonly campaignId?: string;
};

/** `repeated` = messages beyond the first of their delivery; one without a delivery id is never a repetition. */
export type MessageCounts = {
  readonly total: number;
  readonly unique: number;
  readonly repeated: number;
};
