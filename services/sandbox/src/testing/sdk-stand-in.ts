import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** The service as a device meets it: it notes what it is asked, and offers what a test writes. */
export interface SdkStandIn extends AsyncDisposable {
  readonly url: string;
  readonly registered: readonly { readonly deviceId: string; readonly kind: string; readonly userToken: string }[];
  readonly receipts: readonly { readonly deliveryId: string; readonly event: string }[];
  /** Each stream that was opened, with what it was asked for. */
  readonly streams: readonly { readonly deviceId: string | null; readonly headers: IncomingHttpHeaders; readonly res: ServerResponse }[];
  readonly openStreams: () => number;
  /** What calls are answered from now on, by the end of their path. */
  readonly statuses: Map<string, number>;
}

export async function startSdkStandIn(): Promise<SdkStandIn> {
  const registered: SdkStandIn['registered'][number][] = [];
  const receipts: SdkStandIn['receipts'][number][] = [];
  const streams: SdkStandIn['streams'][number][] = [];
  const statuses = new Map<string, number>();
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://stand-in');
    const name = pathname.split('/').at(-1) ?? '';
    const status = statuses.get(name) ?? 200;
    if (name === 'stream' && status === 200) {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('retry: 1000\n\n');
      streams.push({ deviceId: searchParams.get('deviceId'), headers: req.headers, res });
      return;
    }
    if (req.method !== 'POST') {
      res.writeHead(status).end('{}');
      return;
    }
    void json(req).then((body) => {
      if (name === 'devices') registered.push(body as SdkStandIn['registered'][number]);
      if (name === 'receipts') receipts.push(...(body as { readonly receipts: SdkStandIn['receipts'] }).receipts);
      res.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    registered,
    receipts,
    streams,
    openStreams: () => streams.filter(({ res }) => !res.closed).length,
    statuses,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An event as the service writes it. */
export function eventOf(id: string, { deliveryId = 'd1', channel = 'IN_APP', message = { title: 'Hello', body: '<p>Hello, Ada</p>' } as object } = {}): string {
  return `id: ${id}\nevent: message\ndata: ${JSON.stringify({ deliveryId, campaignId: 'c1', channel, expiresAt: 5, message })}\n\n`;
}
