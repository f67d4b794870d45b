export { startIngestConsumer, type IngestConsumerOptions } from './ingest-consumer.ts';
export { identifyMessages, type IdentifiedMessage } from './identify-messages.ts';
export { createReceiptBook, type ReceiptBook } from './receipt-book.ts';
export { dropRepeatedIds } from './repeated-ids.ts';
