import type { FieldError } from '@tidings/contracts/errors/error-codes';
import {
  IngestMessage,
  type IngestEnvelope,
  type RejectedMessage,
} from '@tidings/contracts/ingest/ingest';
import { createValidator } from '@tidings/validation';
import { MISSING_USER, asFields, locatedFault, messageIndexAt, needsUser } from './find-faults.ts';

/** The accepted part of a batch, with its rejected messages. */
export type PartialBatch = {
  /** Contains only the accepted messages. */
  readonly envelope: IngestEnvelope;
  /** Index of each accepted message in the request. */
  readonly messageIndexes: readonly number[];
  readonly received: number;
  /** The first fault of each rejected message. */
  readonly rejected: readonly FieldError[];
  /** Whether any message, accepted or rejected, is a business event. */
  readonly namesBusinessEvent: boolean;
};

const validateMessage = createValidator<IngestMessage>(IngestMessage);

/**
 * The messages without faults of an invalid batch. Null if there are none, or if the fault is in
 * the envelope, which all messages share. A missing user is a fault only of messages that need a
 * user.
 */
export function acceptablePart(body: unknown, faults: readonly FieldError[]): PartialBatch | null {
  if (faults.some((fault) => fault !== MISSING_USER && messageIndexAt(fault.pointer) === undefined))
    return null;
  const { messages } = body as { readonly messages: readonly unknown[] };
  const findFault = faultFinder(body, faults);
  const rejected: FieldError[] = [];
  const messageIndexes: number[] = [];
  for (const index of messages.keys()) {
    const fault = findFault(index);
    if (fault === undefined) messageIndexes.push(index);
    else rejected.push(locatedFault(body, fault, index));
  }
  if (messageIndexes.length === 0) return null;
  return {
    envelope: {
      ...(body as object),
      messages: messageIndexes.map((index) => messages[index] as IngestMessage),
    },
    messageIndexes,
    received: messages.length,
    rejected,
    namesBusinessEvent: messages.some((message) => asFields(message)['type'] === 'businessEvent'),
  };
}

/** Finds the first fault of each message, also beyond the bounded list of faults. */
function faultFinder(
  body: unknown,
  faults: readonly FieldError[],
): (index: number) => FieldError | undefined {
  const listed = new Map<number, FieldError>();
  for (const fault of faults) {
    const index = messageIndexAt(fault.pointer);
    if (index !== undefined && !listed.has(index)) listed.set(index, fault);
  }
  const { messages } = body as { readonly messages: readonly unknown[] };
  const isUserMissing = faults.includes(MISSING_USER);
  return (index) => {
    const known = listed.get(index);
    if (known !== undefined) return known;
    const result = validateMessage(messages[index], 1);
    const first = result.ok ? undefined : result.errors[0];
    if (first !== undefined) return { ...first, pointer: `/messages/${index}${first.pointer}` };
    return isUserMissing && needsUser(messages[index]) ? MISSING_USER : undefined;
  };
}

/** A rejected message as the response reports it. */
export function toRejectedMessage({
  pointer,
  code,
  expected,
  index,
  messageId,
}: FieldError): RejectedMessage {
  return {
    index: index ?? 0,
    id: messageId ?? null,
    pointer,
    code,
    detail: `Expected ${expected ?? 'another value'}.`,
  };
}
