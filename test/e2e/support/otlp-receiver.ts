import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A span as the collector receives it; `attributes` by name. */
export type ReceivedSpan = {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly durationMs: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
};

type Value = Readonly<Record<string, unknown>>;
type KeyValues = readonly { readonly key: string; readonly value: Value }[];
type Export = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
};
type OtlpSpan = {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number };
  readonly attributes: KeyValues;
};

const STATUS_ERROR = 2;

export interface OtlpReceiver {
  readonly url: string;
  spansOf(traceId: string): readonly ReceivedSpan[];
  /** Everything received, as text. */
  text(): string;
  close(): Promise<void>;
}

/** A trace collector: accepts OTLP over HTTP with JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const server = createServer((req, res) => {
    void readText(req).then((body) => {
      if (req.method === 'POST' && req.url === '/v1/traces') bodies.push(body);
      res
        .writeHead(req.url === '/v1/traces' ? 200 : 404, { 'Content-Type': 'application/json' })
        .end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spansOf: (traceId) =>
      bodies
        .flatMap((body) => spansIn(JSON.parse(body) as Export))
        .filter((span) => span.traceId === traceId),
    text: () => bodies.join('\n'),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function spansIn({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(plain(resource.attributes)['service.name']),
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId === '' ? undefined : span.parentSpanId,
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        isFailed: span.status?.code === STATUS_ERROR,
        attributes: plain(span.attributes),
      })),
    ),
  );
}

function plain(attributes: KeyValues): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
