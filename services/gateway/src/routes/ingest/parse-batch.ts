import { FIELD_ERRORS_MAX } from '@tidings/contracts/errors/error-codes';
import type { IngestEnvelope, MessageType } from '@tidings/contracts/ingest/ingest';
import { AppError, itemAt, type Span } from '@tidings/platform';
import { RejectedBatchError } from '../../rejections/rejected-batch.ts';
import { outlineBatch, type BatchOutline } from './batch-outline.ts';
import { exactLongs, type Longs } from './exact-longs.ts';
import { findFaults, locatedFault } from './find-faults.ts';
import { withoutLoneSurrogates } from './lone-surrogates.ts';
import { acceptablePart, type PartialBatch } from './partial-batch.ts';

/** A valid batch, parsed, and its bytes for Kafka. */
export type ParsedBatch = {
  /** As parsed. Lone surrogates are replaced only in the bytes. */
  readonly envelope: IngestEnvelope;
  readonly bytes: Buffer;
  readonly kinds: ReadonlySet<MessageType>;
  /** The rejected messages, if the caller asked for lenient handling. */
  readonly partial?: PartialBatch;
};

/** `strict`: one fault rejects the batch. `lenient`: only messages with faults are rejected. */
export type Handling = 'strict' | 'lenient';

/**
 * Parses any batch and finds every fault. Content that the stores cannot hold is rejected or
 * replaced. The body is parsed once, and every further step is linear in its size, however hostile
 * it is.
 * @throws AppError `invalid_json`, or `validation_failed` with every fault and its pointer
 */
export function parseBatch(bytes: Buffer, handling: Handling): ParsedBatch {
  const text = bytes.toString('utf8');
  const body = parse(text);
  const outline = once(() => outlineBatch(text));
  const longs = exactLongs(body, text, outline);
  const faults = findFaults(body, { text, longs, outline });
  const partial = faults.length > 0 && handling === 'lenient' ? acceptablePart(body, faults) : null;
  if (faults.length > 0 && partial === null) {
    throw new RejectedBatchError(
      'validation_failed',
      'The batch is not valid. Nothing was stored.',
      {
        envelope: body,
        errors: faults.slice(0, FIELD_ERRORS_MAX + 1).map((error) => locatedFault(body, error)),
      },
    );
  }
  restoreLongs(body as IngestEnvelope, longs);
  const envelope = partial?.envelope ?? (body as IngestEnvelope);
  const accepted =
    partial === null ? bytes : Buffer.from(partialText(text, outline(), partial.messageIndexes));
  return {
    envelope,
    bytes: withoutLoneSurrogates(accepted),
    kinds: listKinds(envelope),
    ...(partial === null ? {} : { partial }),
  };
}

/** The accepted messages and the envelope, as written by the caller. */
function partialText(
  text: string,
  { fields, messages }: BatchOutline,
  messageIndexes: readonly number[],
): string {
  const slice = ({ start, end }: Span): string => text.slice(start, end);
  const accepted = messageIndexes.map((index) => slice(itemAt(messages, index)));
  return `{${[...fields.map(slice), `"messages":[${accepted.join(',')}]`].join(',')}}`;
}

function restoreLongs({ messages }: IngestEnvelope, longs: ReadonlyMap<number, Longs>): void {
  for (const [index, exact] of longs) Object.assign(itemAt(messages, index), exact);
}

function listKinds({ messages }: IngestEnvelope): ReadonlySet<MessageType> {
  return new Set(messages.map((message) => message.type));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
