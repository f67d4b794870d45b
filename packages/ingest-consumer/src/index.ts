export { startIngestConsumer, type IngestConsumerOptions } from './ingest-consumer.ts';
export {
  createReceiptCollector as createReceiptBook,
  dropRepeatedIds,
  identifyMessages,
  type IdentifiedMessage,
  type ReceiptCollector as ReceiptBook,
} from './sort-messages.ts';
