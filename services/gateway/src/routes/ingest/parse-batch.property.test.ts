import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { AppError, parseExactJson } from '@tidings/platform';
import { propertyRuns } from '@tidings/testing';
import { arbitraryBody } from '../../testing/arbitrary-batch.ts';
import { scanBatch } from './fast-scan/scan-batch.ts';
import { parseBatch, type ParsedBatch, type Handling } from './parse-batch.ts';
import { findWarnings } from './warnings.ts';

const NOW = 1_700_000_000_000;
const RUNS = propertyRuns(2_000);
/** Enough for a million runs on a busy machine. */
const TIMEOUT_MS = 30_000 + RUNS.numRuns * 20;

/** The batch, or the error; any other thrown value is a bug. */
function read(bytes: Buffer, handling: Handling): ParsedBatch | AppError {
  try {
    return parseBatch(bytes, handling);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const messagesOf = (bytes: Buffer): readonly unknown[] =>
  (parseExactJson(String(bytes)) as { readonly messages: readonly unknown[] }).messages;

describe('any body', () => {
  test(
    'is read, or rejected as no JSON or as not valid, with a bounded list of faults that all say what was expected',
    () => {
      const seen = { accepted: 0, rejected: 0 };

      fc.assert(
        fc.property(arbitraryBody, (bytes) => {
          const result = read(bytes, 'strict');
          if (!(result instanceof AppError)) {
            seen.accepted += 1;
            return;
          }
          seen.rejected += 1;
          expect(['invalid_json', 'validation_failed']).toContain(result.code);
          for (const { expected } of result.errors ?? []) expect(expected).toMatch(/./);
        }),
        RUNS,
      );

      // Both paths were taken.
      expect(Math.min(seen.accepted, seen.rejected)).toBeGreaterThan(
        (seen.accepted + seen.rejected) / 20,
      );
    },
    TIMEOUT_MS,
  );

  test(
    'that passes the quick reading passes the careful one, with the same bytes, facts and no warning',
    () => {
      const seen = { all: 0, passed: 0 };

      fc.assert(
        fc.property(arbitraryBody, (bytes) => {
          seen.all += 1;
          // The gateway rejects invalid UTF-8 before both.
          const quick = isUtf8(bytes) ? scanBatch(bytes, NOW) : null;
          if (quick === null) return;
          seen.passed += 1;
          const careful = read(bytes, 'strict');
          if (careful instanceof AppError)
            throw new Error(`rejected with care: ${JSON.stringify(careful.errors)}`);
          const { envelope, kinds } = careful;
          expect(findWarnings(careful, NOW)).toEqual([]);
          expect(
            careful.bytes.equals(bytes) ||
              JSON.stringify(JSON.parse(String(bytes))) ===
                JSON.stringify(JSON.parse(String(careful.bytes))),
          ).toBe(true);
          expect({ ...quick, kinds: new Set(quick.kinds) }).toEqual({
            messageCount: envelope.messages.length,
            kinds,
            customUserId: envelope.customUserId ?? null,
            serviceUserId: envelope.serviceUserId ?? null,
            firstMessageId: envelope.messages[0]?.id,
          });
        }),
        RUNS,
      );

      expect(seen.passed).toBeGreaterThan(seen.all / 50);
    },
    TIMEOUT_MS,
  );

  test(
    'handled leniently is the strict batch, or the valid part of it, complete and in order',
    () => {
      const seen = { all: 0, parts: 0 };

      fc.assert(
        fc.property(arbitraryBody, (bytes) => {
          seen.all += 1;
          const lenient = read(bytes, 'lenient');
          const strict = read(bytes, 'strict');
          if (!(strict instanceof AppError) || lenient instanceof AppError) {
            expectSame(lenient, strict);
            return;
          }
          seen.parts += 1;
          const { partial } = lenient;
          const sent = messagesOf(bytes);
          const indexes = [
            ...(partial?.messageIndexes ?? []),
            ...(partial?.rejected ?? []).map(({ index }) => index),
          ];
          expect(indexes.toSorted((a, b) => Number(a) - Number(b))).toEqual(
            sent.map((_, index) => index),
          );
          // The forwarded batch is valid, and each message is unchanged.
          const again = read(lenient.bytes, 'strict');
          if (again instanceof AppError)
            throw new Error(`the part is rejected: ${JSON.stringify(again.errors)}`);
          const original = read(
            Buffer.from(
              `{"customUserId":"u1","messages":[${(partial?.messageIndexes ?? []).map((index) => rawJson(sent[index])).join(',')}]}`,
            ),
            'strict',
          );
          expect(
            original instanceof AppError ? original.errors : messagesOf(original.bytes),
          ).toEqual(messagesOf(lenient.bytes));
        }),
        RUNS,
      );

      expect(seen.parts).toBeGreaterThan(seen.all / 100);
    },
    TIMEOUT_MS,
  );
});

function expectSame(lenient: ParsedBatch | AppError, strict: ParsedBatch | AppError): void {
  expect(lenient).toEqual(strict);
}

/** A parsed value as JSON again, with normalised numbers. */
function rawJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return JSON.rawJSON(item.toString());
    if (Object.is(item, -0)) return JSON.rawJSON('-0');
    // A double beyond 2^53 that was not written as an integer; without its exponent it would be
    // one.
    if (Number.isInteger(item) && !Number.isSafeInteger(item))
      return JSON.rawJSON((item as number).toExponential());
    return item === Infinity || item === -Infinity
      ? JSON.rawJSON(item > 0 ? '1e999' : '-1e999')
      : item;
  });
}
