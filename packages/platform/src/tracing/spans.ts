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

/** Contexts of one batch that get a span each; what is beyond them is not seen in its trace. */
const SPANS_PER_BATCH_MAX = 128;

export type SpanOptions = {
  readonly name: string;
  readonly kind?: keyof typeof SpanKind;
  /** No ids of people, no addresses, nothing of a message. */
  readonly attributes?: Attributes;
};

/** A span while its work goes on. */
export type ActiveSpan = { set(attributes: Attributes): void };

const NO_SPAN: ActiveSpan = { set: () => undefined };

/** What a record or a row carries so that later work joins the trace: W3C `traceparent`; undefined where nobody traces. */
export function currentTraceparent(): string | undefined {
  const span = trace.getActiveSpan();
  return span === undefined ? undefined : traceparentOf(span.spanContext());
}

/** The trace of the work that is under way; undefined where nobody traces. */
export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

/**
 * Begins what is everybody's outside of the trace of whoever came first: a timer that many share, a run for many callers. Else
 * its log lines, and all that it begins, would be that one's for as long as it goes on.
 */
export function withoutTrace<T>(begin: () => T): T {
  return context.with(ROOT_CONTEXT, begin);
}

/** Runs work in a span below the one that is under way. Without one that is sampled it costs nothing. */
export function inSpan<T>(options: SpanOptions, run: (span: ActiveSpan) => Promise<T>): Promise<T> {
  return currentTraceparent() === undefined ? run(NO_SPAN) : runIn(context.active(), options, run);
}

/**
 * Runs work in a span below one of another process. Without one it costs nothing. Where work of another trace is under way,
 * as a provider's callback about a message that was sent long before, the two spans link to each other.
 */
export async function inChildSpan<T>(
  traceparent: string | undefined,
  options: SpanOptions,
  run: (span: ActiveSpan) => Promise<T>,
): Promise<T> {
  const parent = contextOf(traceparent);
  if (parent === undefined) return run(NO_SPAN);
  const around = trace.getActiveSpan();
  if (
    around === undefined ||
    traceparentOf(around.spanContext()) === undefined ||
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
 * Runs work that is done for many traces at once: each that is sampled gets a span of the whole. `run` is given the
 * `traceparent` of each new span by the one above it.
 */
export async function inSpanPerParent<T>(
  traceparents: Iterable<string | undefined>,
  { name, kind = 'INTERNAL', attributes }: SpanOptions,
  run: (below: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const spans = new Map<string, Span>();
  for (const traceparent of traceparents) {
    if (traceparent === undefined || spans.has(traceparent) || spans.size >= SPANS_PER_BATCH_MAX)
      continue;
    const parent = contextOf(traceparent);
    if (parent !== undefined)
      spans.set(
        traceparent,
        tracer.startSpan(name, { kind: SpanKind[kind], attributes: { ...attributes } }, parent),
      );
  }
  const below = new Map(
    [...spans].flatMap(([above, span]) => {
      const own = traceparentOf(span.spanContext());
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

/** By the name of the error alone: its message may repeat a person's data. */
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
}

function contextOf(traceparent: string | undefined): Context | undefined {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return parent?.isSampled === true
    ? trace.setSpanContext(ROOT_CONTEXT, {
        traceId: parent.traceId,
        spanId: parent.spanId,
        traceFlags: TraceFlags.SAMPLED,
      })
    : undefined;
}

function traceparentOf(span: SpanContext): string | undefined {
  return isSpanContextValid(span) && (span.traceFlags & TraceFlags.SAMPLED) !== 0
    ? `00-${span.traceId}-${span.spanId}-01`
    : undefined;
}
