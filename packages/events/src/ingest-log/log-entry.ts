import type {
  ErrorCode,
  FieldError,
  MessageOutcome,
  MessageType,
  ReceiptReason,
} from '@tidings/contracts';

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

/** One request that was refused, or (status 200) whose other messages were accepted. */
export type LoggedRejection = {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly outcome: 'refused';
  readonly status: number;
  readonly code: ErrorCode;
  readonly path: string;
  readonly errors: readonly FieldError[];
  /** Where it came from, for those refused because of it. */
  readonly address?: string;
  /** How many more were refused since the entry before and have none of their own. */
  readonly unlisted?: number;
  /** Whom it named. */
  readonly customUserId?: string;
};

export type LogEntry = LoggedMessage | LoggedRejection;

/** What finds the entries of a customUserId: messages by its users, registered or not, those of the anonymous past too; what nobody stored by the ids that it named. */
export type UserFilter = {
  readonly userIds: readonly string[];
  /** Requests that were set aside before anybody read of whom they are. */
  readonly deadRequestIds: readonly string[];
  /** `user` messages that set what stands in the profile: their own receipts name nobody. */
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
