import {
  ENVELOPE_FIELDS,
  MESSAGE_FIELDS,
  WARNINGS_MAX,
  type IngestMessage,
  type Warning,
} from '@tidings/contracts';
import { childPointer } from '@tidings/platform';
import type { ParsedBatch } from './parse-batch.ts';

const DAY_MS = 86_400_000;
/** Below this a time in milliseconds lies in 1970; one in seconds lies between 2001 and 2286. */
const SECONDS_MIN = 1_000_000_000;
const SECONDS_MAX = 9_999_999_999;

/** What is accepted but probably not meant: fields nobody knows, and times that look wrong. */
export function warningsOf(
  { envelope, partial }: Pick<ParsedBatch, 'envelope' | 'partial'>,
  now: number,
): Warning[] {
  const warnings: Warning[] = [];
  for (const field of Object.keys(envelope)) {
    if (warnings.length >= WARNINGS_MAX) break;
    if (!ENVELOPE_FIELDS.has(field)) warnings.push(unknownField(childPointer('', field)));
  }
  for (const [index, message] of envelope.messages.entries()) {
    if (warnings.length >= WARNINGS_MAX) break;
    warnings.push(
      ...messageWarnings(message, `/messages/${partial?.messageIndexes[index] ?? index}`, now),
    );
  }
  return warnings.slice(0, WARNINGS_MAX);
}

function* messageWarnings(
  message: IngestMessage,
  pointer: string,
  now: number,
): Generator<Warning> {
  for (const field of Object.keys(message)) {
    if (MESSAGE_FIELDS[message.type].has(field)) continue;
    const at = childPointer(pointer, field);
    yield message.type === 'revenue' && field === 'attributes'
      ? {
          code: 'unsupported_field',
          pointer: at,
          detail: 'Attributes of revenue messages are not stored.',
        }
      : unknownField(at);
  }
  const { time } = message;
  if (time >= SECONDS_MIN && time <= SECONDS_MAX) {
    yield {
      code: 'suspicious_time',
      pointer: `${pointer}/time`,
      detail: 'This looks like seconds; time is in milliseconds.',
    };
  } else if (time > now + DAY_MS) {
    yield {
      code: 'suspicious_time',
      pointer: `${pointer}/time`,
      detail: 'This lies more than 24 hours ahead.',
    };
  }
}

function unknownField(pointer: string): Warning {
  // A half surrogate in a name is replaced, as it is in what is stored.
  return {
    code: 'unknown_field',
    pointer: pointer.toWellFormed(),
    detail: 'This field is not known and was not stored.',
  };
}
