export { startIngestConsumer } from './ingest-consumer.ts';
export {
  createReceiptCollector,
  dropRepeatedIds,
  identifyMessages,
  type IdentifiedMessage,
  type ReceiptCollector,
} from './sort-messages.ts';
