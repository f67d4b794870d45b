import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  trace,
  TraceFlags,
  type Context,
} from '@opentelemetry/api';
import type { IncomingMessage, RequestListener } from 'node:http';
import { pathOf } from '../http/path-of.ts';
import { parseTraceparent } from './traceparent.ts';

const tracer = trace.getTracer('tidings');

/**
 * Creates a span for each request, as a child of the caller's `traceparent` if there is one. The
 * span is named after the route, never after the values in its path.
 */
export function traceRequests(handler: RequestListener): RequestListener {
  return (req, res) => {
    const method = req.method ?? 'GET';
    const span = tracer.startSpan(
      method,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
      readCaller(req),
    );
    if (!span.isRecording()) return handler(req, res);
    res.once('close', () => {
      const route = findRoute(req);
      if (route !== undefined) {
        span.updateName(`${method} ${route}`);
        span.setAttribute('http.route', route);
      }
      span.setAttribute('http.response.status_code', res.statusCode);
      if (res.statusCode >= 500 || !res.writableFinished)
        span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    return context.with(trace.setSpan(context.active(), span), () => handler(req, res));
  };
}

function readCaller({ headers: { traceparent } }: IncomingMessage): Context {
  const caller = typeof traceparent === 'string' ? parseTraceparent(traceparent) : null;
  if (caller === null) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = caller;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });
}

/** Fields that express sets. */
type Routed = { route?: { readonly path: unknown }; readonly baseUrl?: string };

/** Sets the route of a request that does not pass through express. */
export function noteRoute(req: IncomingMessage & Routed, path: string): void {
  req.route = { path };
}

/** Undefined without a route. */
function findRoute(req: IncomingMessage & Routed): string | undefined {
  if (req.route === undefined) return undefined;
  // An array of literal paths.
  return typeof req.route.path === 'string'
    ? `${req.baseUrl ?? ''}${req.route.path}`
    : pathOf({ url: `${req.baseUrl ?? ''}${req.url ?? ''}` });
}
