import type { TopicSpec } from '@tidings/contracts/topics';
import type { Logger } from '@tidings/platform';

/** A record as it was read from a topic. */
export type BusRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * A record to write. Records with the same key keep their order; a record without a key goes to any
 * partition.
 */
export type OutgoingRecord = {
  readonly key: string | Buffer | null;
  readonly value: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type RecordPosition = { readonly partition: number; readonly offset: bigint };

/**
 * The broker did not confirm in time, so the records may or may not be written. Producing them
 * again is safe but may create duplicates.
 */
export class BusUnavailableError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'BusUnavailableError';
  }
}

/**
 * The broker will never accept these records: one is too large or malformed. A retry is useless.
 */
export class BusRejectedError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'BusRejectedError';
  }
}

export interface Producer {
  /**
   * Resolves when all in-sync replicas have every record. Returns positions in the given order.
   * @throws BusUnavailableError if that was not confirmed in time
   * @throws BusRejectedError if a record can never be accepted; others may have been written
   */
  produce(topic: string, records: readonly OutgoingRecord[]): Promise<readonly RecordPosition[]>;
  disconnect(): Promise<void>;
}

/** Records of one partition that are read together, in order. */
export type RecordBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly BusRecord[];
  /**
   * Aborted on stop, rebalance or a failed heartbeat. The handler must then end quickly by
   * throwing.
   */
  readonly signal: AbortSignal;
  /** Signals the group that this member is working. Cheap; call it between steps. */
  heartbeat(): Promise<void>;
  /** Commits this record and all before it. Their effects must be durable. */
  resolve(offset: bigint): Promise<void>;
};

export type ConsumeOptions = {
  readonly group: string;
  readonly topics: readonly string[];
  readonly partitionsConcurrently?: number;
  /** Of the service that reads. Absent: that of the bus. */
  readonly logger?: Logger;
  /**
   * A fetch waits for `bytes` or `waitMs`, for fewer and larger record batches. Absent: it returns
   * any available records at once.
   */
  readonly gather?: { readonly bytes: number; readonly waitMs: number };
  /**
   * How long the next fetch waits for this record batch. A longer one continues in the background,
   * while other partitions are read.
   */
  readonly waitForBatchMs?: (topic: string) => number;
  /**
   * A normal return commits all records. After an error, they are retried from the first unresolved
   * one, without limit.
   */
  handleBatch(batch: RecordBatch): Promise<void>;
};

export interface Consumer {
  /** Aborts the signals, waits for running handlers, commits what they resolved and leaves the group. */
  stop(): Promise<void>;
  /** Whether the consumer makes progress; false requests a restart of the process. */
  isAlive(): boolean;
}

export type TopicOffsets = { readonly low: bigint; readonly high: bigint };

export type EnsureTopicsOptions = {
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
};

export interface BusAdmin {
  /** Creates missing topics and updates the settings of existing ones; never removes anything. */
  ensureTopics(specs: readonly TopicSpec[], options: EnsureTopicsOptions): Promise<void>;
  /** The next offset to read by partition; a partition without a commit is absent. */
  committedOffsets(group: string, topic: string): Promise<ReadonlyMap<number, bigint>>;
  /** Per partition, the first offset kept (`low`) and the offset of the next record (`high`). */
  topicOffsets(topic: string): Promise<ReadonlyMap<number, TopicOffsets>>;
}

/** The only interface to Kafka, or to the log in Postgres that replaces it. */
export interface Bus {
  producer(): Promise<Producer>;
  consume(options: ConsumeOptions): Promise<Consumer>;
  readonly admin: BusAdmin;
  /** Closes producers and admin connections. The owner stops consumers before. */
  disconnect(): Promise<void>;
}
