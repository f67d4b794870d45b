import type { ErrorCode, FieldError } from '@tidings/contracts/errors/error-codes';
import type { MessageOutcome, MessageType, ReceiptReason } from '@tidings/contracts/ingest/ingest';

/** One message of an accepted request. */
export type LoggedMessage = {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly index: number;
  readonly id: string;
  readonly type: MessageType;
  readonly outcome: MessageOutcome;
  readonly reason?: ReceiptReason;
};

/** A rejected request, or (status 200) an accepted one with rejected messages. */
export type LoggedRejection = {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly outcome: 'rejected';
  readonly status: number;
  readonly code: ErrorCode;
  readonly path: string;
  readonly errors: readonly FieldError[];
  /** The client's address, if it was the reason for the rejection. */
  readonly address?: string;
  /**
   * How many further requests were rejected since the previous entry without an entry of their own.
   */
  readonly unlisted?: number;
  /** The customUserId in its envelope. */
  readonly customUserId?: string;
};

export type LogEntry = LoggedMessage | LoggedRejection;

/**
 * Finds the log entries of a customUserId: messages by its users (registered or not, and merged
 * anonymous ones), and rejected requests by the ids in their envelopes.
 */
export type UserFilter = {
  readonly userIds: readonly string[];
  /** Requests that were set aside as dead letters, before their user was known. */
  readonly deadRequestIds: readonly string[];
  /**
   * `user` messages that set values now in the profile. Their own receipts do not name the user.
   */
  readonly profileMessages: readonly { readonly requestId: string; readonly index: number }[];
  readonly customUserId: string;
  readonly serviceUserIds: readonly string[];
};

export type IngestLogQuery = {
  readonly applicationId: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly requestId?: string;
  readonly outcome?: LogEntry['outcome'];
  readonly reason?: ReceiptReason | ErrorCode;
  readonly userFilter?: UserFilter;
};
