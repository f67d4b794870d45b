import type { TopicSpec } from '@tidings/contracts';

/** A record as it was read from a topic. */
export type BusRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

/** A record to be written; records with the same key keep their order, one without a key goes to any partition. */
export type OutgoingRecord = {
  readonly key: string | Buffer | null;
  readonly value: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type RecordPosition = { readonly partition: number; readonly offset: bigint };

/** The broker did not confirm in time. A record may have been written or not: producing it again is safe, a duplicate is possible. */
export class BusUnavailableError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'BusUnavailableError';
  }
}

/** The broker will never accept these records: one is too large or malformed. Nothing is won by trying again. */
export class BusRejectedError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'BusRejectedError';
  }
}

export interface Producer {
  /**
   * Resolves after all in-sync replicas have every record; positions in the order given.
   * @throws BusUnavailableError when that was not confirmed in time
   * @throws BusRejectedError when one of the records can never be accepted; others may have been written
   */
  produce(topic: string, records: readonly OutgoingRecord[]): Promise<readonly RecordPosition[]>;
  disconnect(): Promise<void>;
}

/** Records of one partition, in order. */
export type Batch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly BusRecord[];
  /** Aborted on stop, on a rebalance and on a failed heartbeat: the handler ends quickly, by throwing. */
  readonly signal: AbortSignal;
  /** Tells the group that this member is at work; cheap, to be called between steps. */
  heartbeat(): Promise<void>;
  /** Commits: this record and all before it are done, their effects durable. */
  resolve(offset: bigint): Promise<void>;
};

export type ConsumeOptions = {
  readonly group: string;
  readonly topics: readonly string[];
  readonly partitionsConcurrently?: number;
  /** A read waits until so much is there, or so long: fewer and larger batches. Without it, whatever is there is read at once. */
  readonly gather?: { readonly bytes: number; readonly waitMs: number };
  /** A batch that takes longer goes on by itself, and the other partitions are read meanwhile. */
  readonly detachAfterMs?: (topic: string) => number;
  /** A normal return commits the whole batch; a throw has it tried again from the first unresolved record, without end. */
  handleBatch(batch: Batch): Promise<void>;
};

export interface Consumer {
  /** Aborts the signals, waits for running handlers, commits what they resolved and leaves the group. */
  stop(): Promise<void>;
  /** Whether the consumer still makes progress; false asks for a restart of the process. */
  isAlive(): boolean;
}

export type TopicOffsets = { readonly low: bigint; readonly high: bigint };

export type EnsureTopicsOptions = {
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
};

export interface BusAdmin {
  /** Creates the topics that are missing and brings the settings of those that exist in line; never removes anything. */
  ensureTopics(specs: readonly TopicSpec[], options: EnsureTopicsOptions): Promise<void>;
  /** The next offset each partition will be read from; a partition without a commit is absent. */
  committedOffsets(group: string, topic: string): Promise<ReadonlyMap<number, bigint>>;
  /** Per partition, the first offset kept (`low`) and the offset of the next record (`high`). */
  topicOffsets(topic: string): Promise<ReadonlyMap<number, TopicOffsets>>;
}

/** The port to Kafka: everything else of the system knows only this. */
export interface Bus {
  producer(): Promise<Producer>;
  consume(options: ConsumeOptions): Promise<Consumer>;
  readonly admin: BusAdmin;
  /** Closes producers and admin connections; consumers are stopped first, by their owner. */
  disconnect(): Promise<void>;
}
