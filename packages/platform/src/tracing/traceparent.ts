import { randomBytes } from 'node:crypto';

/** The header and the record header that carry it: https://www.w3.org/TR/trace-context/ */
export const TRACEPARENT = 'traceparent';

/** Version, trace id, parent id, flags; later versions may have more behind. */
const PATTERN =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

export type Traceparent = {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
};

/** Null for what is none. */
export function parseTraceparent(text: string): Traceparent | null {
  const [, version, traceId, spanId, flags, rest] = PATTERN.exec(text) ?? [];
  if (
    traceId === undefined ||
    spanId === undefined ||
    flags === undefined ||
    (version === '00' && rest !== undefined)
  )
    return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** The trace that a request says it belongs to; a new one where its `traceparent` is missing or not valid. */
export function traceIdFrom(traceparent: string | undefined): string {
  return parseTraceparent(traceparent ?? '')?.traceId ?? newTraceId();
}

/** 32 hexadecimal digits, as W3C Trace Context has them. */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}
