import { FIELD_ERRORS_MAX, type IngestEnvelope, type MessageType } from '@tidings/contracts';
import { AppError, type Span } from '@tidings/platform';
import { RejectedBatchError } from '../../rejections/rejected-batch.ts';
import { outlineBatch, type BatchOutline } from './batch-outline.ts';
import { exactLongs, type Longs } from './exact-longs.ts';
import { findFaults, locatedFault } from './find-faults.ts';
import { withoutLoneSurrogates } from './lone-surrogates.ts';
import { acceptablePart, type PartialBatch } from './partial-batch.ts';

/** A valid batch with all that is in it, and the bytes that go to Kafka. */
export type ParsedBatch = {
  /** As it was parsed; half surrogates are replaced in the bytes only. */
  readonly envelope: IngestEnvelope;
  readonly bytes: Buffer;
  readonly kinds: ReadonlySet<MessageType>;
  /** What was left out, where the caller wanted the rest accepted all the same. */
  readonly partial?: PartialBatch;
};

/** `strict`: one fault refuses the batch. `lenient`: messages with faults of their own are left out. */
export type Handling = 'strict' | 'lenient';

/**
 * Reads any batch with care: every fault is found, and what the stores could not hold is refused or replaced. However
 * hostile the body, it is parsed once, and what follows costs no more than a few looks at it.
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
      'The batch is not valid; nothing was stored.',
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
    kinds: kindsOf(envelope),
    ...(partial === null ? {} : { partial }),
  };
}

/** The messages that were accepted, and all of the envelope, as they were written. */
function partialText(
  text: string,
  { fields, messages }: BatchOutline,
  messageIndexes: readonly number[],
): string {
  const slice = ({ start, end }: Span): string => text.slice(start, end);
  const accepted = messageIndexes.map((index) => slice(messages[index] ?? { start: 0, end: 0 }));
  return `{${[...fields.map(slice), `"messages":[${accepted.join(',')}]`].join(',')}}`;
}

function restoreLongs({ messages }: IngestEnvelope, longs: ReadonlyMap<number, Longs>): void {
  for (const [index, exact] of longs) Object.assign(messages[index] ?? {}, exact);
}

function kindsOf({ messages }: IngestEnvelope): ReadonlySet<MessageType> {
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
