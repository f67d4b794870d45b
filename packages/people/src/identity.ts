import type { ReceiptReason } from '@tidings/contracts/ingest/ingest';

/** Null for a business event without ids. */
export type Identity = {
  readonly userId: string | null;
  /**
   * Whether the sender may act for the user: it has a Server key, sent a serviceUserId joined to
   * the person, or the application accepts a bare customUserId (`userTokens: optional`).
   */
  readonly isProved: boolean;
  /**
   * Whether the user was registered when it was looked up. It stays registered until it is deleted.
   */
  readonly isRegistered: boolean;
  /** The anonymous user whom this record merged into the user. */
  readonly anonymousId?: string;
  /** Why the messages are dropped. */
  readonly reason?: ReceiptReason;
  /** A reason for the receipts of messages that are accepted nevertheless. */
  readonly remark?: ReceiptReason;
};
