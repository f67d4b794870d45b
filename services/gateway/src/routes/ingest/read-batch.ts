import type { MessageType, Warning } from '@tidings/contracts';
import { parseBatch, type Handling } from './parse-batch.ts';
import type { PartialBatch } from './partial-batch.ts';
import { scanBatch } from './fast-scan/scan-batch.ts';
import { warningsOf } from './warnings.ts';

/** What the gateway passes on of a request, and what it has to know and say about it. */
export type Batch = {
  /** The value of the record. */
  readonly bytes: Buffer;
  /** How many messages are in it. */
  readonly messageCount: number;
  readonly kinds: readonly MessageType[];
  readonly customUserId: string | null;
  readonly serviceUserId: string | null;
  readonly firstMessageId: string;
  readonly warnings: readonly Warning[];
  /** What was left out, where the caller wanted the rest accepted all the same. */
  readonly partial?: PartialBatch;
};

/**
 * Most batches are plain and go on as they came, unparsed; any other is read with care.
 * @throws AppError `invalid_json`, or `validation_failed` with every fault and its pointer
 */
export function readBatch(
  bytes: Buffer,
  { handling, now }: { readonly handling: Handling; readonly now: number },
): Batch {
  const plain = scanBatch(bytes, now);
  if (plain !== null) return { ...plain, bytes, warnings: [] };
  const careful = parseBatch(bytes, handling);
  const { messages, customUserId = null, serviceUserId = null } = careful.envelope;
  return {
    bytes: careful.bytes,
    messageCount: messages.length,
    kinds: [...careful.kinds],
    customUserId,
    serviceUserId,
    firstMessageId: messages[0]?.id ?? '',
    warnings: warningsOf(careful, now),
    ...(careful.partial !== undefined && { partial: careful.partial }),
  };
}
