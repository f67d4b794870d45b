import {
  currentTraceparent,
  inSpanPerParent,
  TRACEPARENT,
  type SpanOptions,
} from '@tidings/platform';
import type { RecordBatch, BusRecord, OutgoingRecord } from './bus.ts';

export type BusSystem = 'kafka' | 'postgresql';

/**
 * Attribute names of https://opentelemetry.io/docs/specs/semconv/messaging/kafka/. They may still
 * change, so only this file uses them.
 */
const producing = (system: BusSystem, topic: string, count: number): SpanOptions => ({
  name: `send ${topic}`,
  kind: 'PRODUCER',
  attributes: {
    'messaging.system': system,
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.destination.name': topic,
    'messaging.batch.message_count': count,
  },
});

const processing = (
  system: BusSystem,
  { topic, partition, records }: RecordBatch,
  group: string,
): SpanOptions => ({
  name: `process ${topic}`,
  kind: 'CONSUMER',
  attributes: {
    'messaging.system': system,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'messaging.consumer.group.name': group,
    'messaging.batch.message_count': records.length,
  },
});

/** Adds the current trace to a record, so its consumer continues it. */
export function withTrace(record: OutgoingRecord): OutgoingRecord {
  const traceparent = currentTraceparent();
  return traceparent === undefined
    ? record
    : { ...record, headers: { ...record.headers, [TRACEPARENT]: traceparent } };
}

/** Adds a span for a produce call to the traces of its records, which carry the new spans. */
export function traceProduce<T>(
  system: BusSystem,
  { topic, records }: { readonly topic: string; readonly records: readonly OutgoingRecord[] },
  produce: (records: readonly OutgoingRecord[]) => Promise<T>,
): Promise<T> {
  return inSpanPerParent(
    records.map(readTraceparent),
    producing(system, topic, records.length),
    (below) =>
      produce(below.size === 0 ? records : records.map((record) => carriedOn(record, below))),
  );
}

/** Adds a span for a handler call to the traces of its records. */
export function traceBatch(
  system: BusSystem,
  { batch, group }: { readonly batch: RecordBatch; readonly group: string },
  handle: (batch: RecordBatch) => Promise<void>,
): Promise<void> {
  return inSpanPerParent(
    batch.records.map(readTraceparent),
    processing(system, batch, group),
    (below) =>
      handle(
        below.size === 0
          ? batch
          : { ...batch, records: batch.records.map((record) => carriedOn(record, below)) },
      ),
  );
}

/** The `traceparent` of a record. */
export function readTraceparent({
  headers,
}: Pick<BusRecord | OutgoingRecord, 'headers'>): string | undefined {
  return headers?.[TRACEPARENT];
}

function carriedOn<R extends BusRecord | OutgoingRecord>(
  record: R,
  below: ReadonlyMap<string, string>,
): R {
  const traceparent = below.get(readTraceparent(record) ?? '');
  return traceparent === undefined
    ? record
    : { ...record, headers: { ...record.headers, [TRACEPARENT]: traceparent } };
}
