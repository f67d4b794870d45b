import type { Warning } from '@tidings/contracts/errors/error-codes';
import type { MessageType } from '@tidings/contracts/ingest/ingest';
import { itemAt } from '@tidings/platform';
import { parseBatch, type Handling } from './parse-batch.ts';
import type { PartialBatch } from './partial-batch.ts';
import { scanBatch } from './fast-scan/scan-batch.ts';
import { findWarnings } from './warnings.ts';

/** A valid batch: the record for Kafka, and the facts for its key, headers and response. */
export type Batch = {
  /** Value of the Kafka record. */
  readonly bytes: Buffer;
  /** Number of messages. */
  readonly messageCount: number;
  readonly kinds: readonly MessageType[];
  readonly customUserId: string | null;
  readonly serviceUserId: string | null;
  readonly firstMessageId: string;
  readonly warnings: readonly Warning[];
  /** The rejected messages, if the caller asked for lenient handling. */
  readonly partial?: PartialBatch;
};

/**
 * Validates a batch. Most batches pass the fast scan and are forwarded unparsed; all others are
 * parsed.
 * @throws AppError `invalid_json`, or `validation_failed` with every fault and its pointer
 */
export function readBatch(
  bytes: Buffer,
  { handling, now }: { readonly handling: Handling; readonly now: number },
): Batch {
  const scanned = scanBatch(bytes, now);
  if (scanned !== null) return { ...scanned, bytes, warnings: [] };
  const parsed = parseBatch(bytes, handling);
  const { messages, customUserId = null, serviceUserId = null } = parsed.envelope;
  return {
    bytes: parsed.bytes,
    messageCount: messages.length,
    kinds: [...parsed.kinds],
    customUserId,
    serviceUserId,
    firstMessageId: itemAt(messages, 0).id,
    warnings: findWarnings(parsed, now),
    ...(parsed.partial !== undefined && { partial: parsed.partial }),
  };
}
