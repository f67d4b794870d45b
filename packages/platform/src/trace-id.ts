import { randomBytes } from 'node:crypto';

/** https://www.w3.org/TR/trace-context/: version, trace id, parent id, flags; later versions may have more behind. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace that a request says it belongs to; a new one where its `traceparent` is missing or not valid. */
export function traceIdFrom(traceparent: string | undefined): string {
  const [, version, traceId, rest] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return traceId === undefined || (version === '00' && rest !== undefined) ? newTraceId() : traceId;
}

/** 32 hexadecimal digits, as W3C Trace Context has them. */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}
