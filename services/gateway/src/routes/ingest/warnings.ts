import { WITHDRAWN_CURRENCIES } from '@tidings/contracts/currencies';
import { WARNINGS_MAX, type Warning } from '@tidings/contracts/errors/error-codes';
import {
  ENVELOPE_FIELDS,
  MESSAGE_FIELDS,
  type IngestMessage,
} from '@tidings/contracts/ingest/ingest';
import { looksLikeSeconds } from '@tidings/contracts/ingest/seconds';
import { isEmptyUuid, isSuspiciousId } from '@tidings/contracts/ingest/suspicious-ids';
import { childPointer } from '@tidings/validation/child-pointer';
import type { ParsedBatch } from './parse-batch.ts';

const DAY_MS = 86_400_000;
const WITHDRAWN: ReadonlySet<string> = new Set(WITHDRAWN_CURRENCIES);

/** Warnings for accepted but suspicious input: unknown fields, implausible times and ids. */
export function findWarnings(
  { envelope, partial }: Pick<ParsedBatch, 'envelope' | 'partial'>,
  now: number,
): Warning[] {
  const warnings: Warning[] = [];
  for (const field of Object.keys(envelope)) {
    if (warnings.length >= WARNINGS_MAX) break;
    if (!ENVELOPE_FIELDS.has(field)) warnings.push(unknownField(childPointer('', field)));
  }
  warnings.push(...userIdWarnings(envelope));
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
  if (message.type === 'revenue' && WITHDRAWN.has(message.currency ?? '')) {
    yield {
      code: 'withdrawn_currency',
      pointer: `${pointer}/currency`,
      detail: 'This currency is no longer in ISO 4217. The event is stored as it is.',
    };
  }
  const { time } = message;
  if (looksLikeSeconds(time)) {
    yield {
      code: 'suspicious_time',
      pointer: `${pointer}/time`,
      detail: 'The value looks like seconds; time is in milliseconds.',
    };
  } else if (time > now + DAY_MS) {
    yield {
      code: 'suspicious_time',
      pointer: `${pointer}/time`,
      detail: 'The time is more than 24 hours in the future.',
    };
  }
}

type UserIds = {
  readonly customUserId?: string | null;
  readonly serviceUserId?: string | null;
};

/** A serviceUserId that is another text than a UUID is dropped later. */
function userIdWarnings({ customUserId, serviceUserId }: UserIds): Warning[] {
  return [
    ...(typeof customUserId === 'string' && isSuspiciousId(customUserId)
      ? [suspiciousUserId('/customUserId')]
      : []),
    ...(typeof serviceUserId === 'string' && isEmptyUuid(serviceUserId.toLowerCase())
      ? [suspiciousUserId('/serviceUserId')]
      : []),
  ];
}

function suspiciousUserId(pointer: string): Warning {
  return {
    code: 'suspicious_user_id',
    pointer,
    detail: 'The id looks like a missing value. All messages with it count for one user.',
  };
}

function unknownField(pointer: string): Warning {
  // Lone surrogates in a name are replaced, as in stored data.
  return {
    code: 'unknown_field',
    pointer: pointer.toWellFormed(),
    detail: 'Unknown field (not stored).',
  };
}
