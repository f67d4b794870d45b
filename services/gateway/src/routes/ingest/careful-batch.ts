import { FIELD_ERRORS_MAX, type IngestEnvelope, type MessageType } from '@tidings/contracts';
import { AppError, parseExactJson, stringifyExactJson, toWellFormed } from '@tidings/platform';
import { findFaults, locatedFault } from './find-faults.ts';
import { acceptablePart, type PartialBatch } from './partial-batch.ts';

/** A valid batch with all that is in it, and the bytes that go to Kafka. */
export type CarefulBatch = {
  readonly envelope: IngestEnvelope;
  readonly bytes: Buffer;
  readonly kinds: ReadonlySet<MessageType>;
  /** What was left out, where the caller wanted the rest accepted all the same. */
  readonly partial?: PartialBatch;
};

/** `strict`: one fault refuses the batch. `lenient`: messages with faults of their own are left out. */
export type Handling = 'strict' | 'lenient';

/**
 * Reads any batch with care: every fault is found, and what the stores could not hold is refused or replaced.
 * @throws AppError `invalid_json`, or `validation_failed` with every fault and its pointer
 */
export function readWithCare(bytes: Buffer, handling: Handling): CarefulBatch {
  const text = bytes.toString('utf8');
  const { body, isExact } = parseExactly(text);
  const faults = findFaults(body, text);
  const partial = faults.length > 0 && handling === 'lenient' && isExact ? acceptablePart(body, text, faults) : null;
  if (faults.length > 0 && partial === null) {
    throw new AppError('validation_failed', 'The batch is not valid; nothing was stored.', {
      errors: faults.slice(0, FIELD_ERRORS_MAX + 1).map((error) => locatedFault(body, error)),
    });
  }
  const read = partial?.envelope ?? (body as IngestEnvelope);
  const envelope = toWellFormed(read, text);
  return {
    envelope,
    bytes: envelope === body ? bytes : Buffer.from(stringifyExactJson(envelope)),
    kinds: kindsOf(envelope),
    ...(partial === null ? {} : { partial }),
  };
}

function kindsOf({ messages }: IngestEnvelope): ReadonlySet<MessageType> {
  return new Set(messages.map((message) => message.type));
}

function parseExactly(text: string): { readonly body: unknown; readonly isExact: boolean } {
  try {
    return { body: parseWith(parseExactJson, text), isExact: true };
  } catch (error) {
    // Valid, but nested deeper than the exact parse can walk; what is too deep is refused with its pointer.
    if (error instanceof RangeError) return { body: JSON.parse(text), isExact: false };
    throw error;
  }
}

function parseWith(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}
