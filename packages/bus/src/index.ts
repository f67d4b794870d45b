export {
  BusRejectedError,
  BusUnavailableError,
  type RecordBatch,
  type Bus,
  type BusAdmin,
  type BusRecord,
  type Consumer,
  type EnsureTopicsOptions,
  type OutgoingRecord,
  type Producer,
  type TopicOffsets,
} from './bus.ts';
export { busConfig } from './config.ts';
export { openBus, type BusSettings } from './open-bus.ts';
export { OtherBusError } from './guarded-bus.ts';
export { createGroupCommit, type GroupCommit } from './group-commit.ts';
export { createKafkaBus } from './kafka-bus.ts';
export { readTraceparent } from './traces.ts';
export { createMemoryBus, type MemoryBus } from './memory-bus.ts';
