import { randomBytes } from 'node:crypto';

/** Name of the HTTP header and the record header: https://www.w3.org/TR/trace-context/ */
export const TRACEPARENT = 'traceparent';

/** Version, trace id, parent id, flags; later versions may append fields. */
const PATTERN =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

export type Traceparent = {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
};

/** Null if the text is invalid. */
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

/** The trace id of a `traceparent`; a new one if it is missing or invalid. */
export function traceIdFrom(traceparent: string | undefined): string {
  return parseTraceparent(traceparent ?? '')?.traceId ?? newTraceId();
}

/** 32 hexadecimal digits (W3C Trace Context). */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}
