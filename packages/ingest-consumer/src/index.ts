export { startIngestConsumer, type IngestConsumerOptions } from './ingest-consumer.ts';
export {
  createReceiptBook,
  dropRepeatedIds,
  identifyMessages,
  type IdentifiedMessage,
  type ReceiptBook,
} from './sort-messages.ts';
