import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  isSpanContextValid,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';
import { parseTraceparent } from './traceparent.ts';

const tracer = trace.getTracer('tidings');

/** Maximum spans of one piece of work; further traces do not show it. */
const SPANS_PER_WORK_MAX = 128;

export type SpanOptions = {
  readonly name: string;
  readonly kind?: keyof typeof SpanKind;
  /** Must not contain user ids, addresses or message content. */
  readonly attributes?: Attributes;
};

/** A span whose work is in progress. */
export type ActiveSpan = { set(attributes: Attributes): void };

const NO_SPAN: ActiveSpan = { set: () => undefined };

/**
 * The W3C `traceparent` that a record or row carries, so later work joins the trace; undefined
 * without a sampled trace.
 */
export function currentTraceparent(): string | undefined {
  const span = trace.getActiveSpan();
  return span === undefined ? undefined : toTraceparent(span.spanContext());
}

/**
 * Starts shared work outside of any trace: a common timer or a run for many callers. Otherwise its
 * log lines and child spans would belong to the trace of the first caller.
 */
export function withoutTrace<T>(begin: () => T): T {
  return context.with(ROOT_CONTEXT, begin);
}

/** Runs work in a child span of the current span. Free without a sampled trace. */
export function inSpan<T>(options: SpanOptions, run: (span: ActiveSpan) => Promise<T>): Promise<T> {
  return currentTraceparent() === undefined ? run(NO_SPAN) : runIn(context.active(), options, run);
}

/**
 * Runs work in a child span of a remote `traceparent`. Free without a sampled one. If another trace
 * is active, such as the callback request of a provider, the two spans link to each other.
 */
export async function inChildSpan<T>(
  traceparent: string | undefined,
  options: SpanOptions,
  run: (span: ActiveSpan) => Promise<T>,
): Promise<T> {
  const parent = toContext(traceparent);
  if (parent === undefined) return run(NO_SPAN);
  const around = trace.getActiveSpan();
  if (
    around === undefined ||
    toTraceparent(around.spanContext()) === undefined ||
    around.spanContext().traceId === trace.getSpanContext(parent)?.traceId
  )
    return runIn(parent, options, run);
  return runIn(parent, { ...options, links: [{ context: around.spanContext() }] }, (span) => {
    const below = trace.getActiveSpan();
    if (below !== undefined) around.addLink({ context: below.spanContext() });
    return run(span);
  });
}

/**
 * Runs work on behalf of many traces: each sampled trace gets a span for the whole. `run` gets the
 * `traceparent` of each new span by its parent's.
 */
export async function inSpanPerParent<T>(
  traceparents: Iterable<string | undefined>,
  { name, kind = 'INTERNAL', attributes }: SpanOptions,
  run: (below: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const spans = new Map<string, Span>();
  for (const traceparent of traceparents) {
    if (traceparent === undefined || spans.has(traceparent) || spans.size >= SPANS_PER_WORK_MAX)
      continue;
    const parent = toContext(traceparent);
    if (parent !== undefined)
      spans.set(
        traceparent,
        tracer.startSpan(name, { kind: SpanKind[kind], attributes: { ...attributes } }, parent),
      );
  }
  const below = new Map(
    [...spans].flatMap(([above, span]) => {
      const own = toTraceparent(span.spanContext());
      return own === undefined ? [] : [[above, own] as const];
    }),
  );
  try {
    return await run(below);
  } catch (error) {
    for (const span of spans.values()) fail(span, error);
    throw error;
  } finally {
    for (const span of spans.values()) span.end();
  }
}

function runIn<T>(
  parent: Context,
  { name, kind = 'INTERNAL', attributes, links = [] }: SpanOptions & { readonly links?: Link[] },
  run: (span: ActiveSpan) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(
    name,
    { kind: SpanKind[kind], attributes: { ...attributes }, links },
    parent,
    async (span) => {
      try {
        return await run({ set: (more) => void span.setAttributes(more) });
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

/** Records only the name of the error: its message may contain personal data. */
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
}

function toContext(traceparent: string | undefined): Context | undefined {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return parent?.isSampled === true
    ? trace.setSpanContext(ROOT_CONTEXT, {
        traceId: parent.traceId,
        spanId: parent.spanId,
        traceFlags: TraceFlags.SAMPLED,
      })
    : undefined;
}

function toTraceparent(span: SpanContext): string | undefined {
  return isSpanContextValid(span) && (span.traceFlags & TraceFlags.SAMPLED) !== 0
    ? `00-${span.traceId}-${span.spanId}-01`
    : undefined;
}
