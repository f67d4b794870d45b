export {
  BusRejectedError,
  BusUnavailableError,
  type RecordBatch,
  type Bus,
  type BusAdmin,
  type BusRecord,
  type ConsumeOptions,
  type Consumer,
  type EnsureTopicsOptions,
  type OutgoingRecord,
  type Producer,
  type RecordPosition,
  type TopicOffsets,
} from './bus.ts';
export { busConfig, type BusConfig } from './config.ts';
export { openBus, type BusContext, type BusSettings } from './open-bus.ts';
export { OtherBusError } from './guarded-bus.ts';
export { createGroupCommit, type GroupCommit, type GroupCommitOptions } from './group-commit.ts';
export { createKafkaBus } from './kafka-bus.ts';
export type { KafkaSettings } from './kafka-client.ts';
export { readTraceparent, withTrace } from './traces.ts';
export { createMemoryBus, type MemoryBus } from './memory-bus.ts';
