import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Stand-in for the service: records calls of devices, and sends events that a test writes. */
export interface SdkStandIn extends AsyncDisposable {
  readonly url: string;
  readonly registered: readonly {
    readonly deviceId: string;
    readonly kind: string;
    readonly userToken: string;
    readonly subscription?: { readonly endpoint: string };
    readonly token?: string;
  }[];
  /** The device ids of receipts, one per call. */
  readonly tellers: readonly string[];
  readonly receipts: readonly {
    readonly deliveryId: string;
    readonly event: string;
    readonly buttonIndex?: number;
  }[];
  /** Opened streams with their request parameters. */
  readonly streams: readonly {
    readonly deviceId: string | null;
    readonly headers: IncomingHttpHeaders;
    readonly res: ServerResponse;
  }[];
  readonly openStreams: () => number;
  /** Statuses of future responses, by path suffix. */
  readonly statuses: Map<string, number>;
  /** Fetched link and pixel URLs, with the user agent. */
  readonly fetched: readonly { readonly path: string; readonly userAgent: string | undefined }[];
}

export async function startSdkStandIn({
  vapidPublicKey = null as string | null,
} = {}): Promise<SdkStandIn> {
  const registered: SdkStandIn['registered'][number][] = [];
  const receipts: SdkStandIn['receipts'][number][] = [];
  const tellers: string[] = [];
  const streams: SdkStandIn['streams'][number][] = [];
  const fetched: SdkStandIn['fetched'][number][] = [];
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
    if (pathname.startsWith('/t/')) {
      fetched.push({ path: pathname, userAgent: req.headers['user-agent'] });
      res.writeHead(statuses.get(name) ?? 302, { Location: 'https://shop.example/sale' }).end();
      return;
    }
    if (req.method !== 'POST') {
      res.writeHead(status).end(name === 'config' ? JSON.stringify({ vapidPublicKey }) : '{}');
      return;
    }
    void json(req).then((body) => {
      if (name === 'devices') registered.push(body as SdkStandIn['registered'][number]);
      if (name === 'receipts') tellers.push((body as { readonly deviceId: string }).deviceId);
      if (name === 'receipts')
        receipts.push(...(body as { readonly receipts: SdkStandIn['receipts'] }).receipts);
      const results =
        name === 'receipts'
          ? (body as { readonly receipts: readonly object[] }).receipts.map(() => ({
              status: 'noted',
            }))
          : undefined;
      res.writeHead(status).end(JSON.stringify({ results }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    registered,
    receipts,
    tellers,
    streams,
    openStreams: () => streams.filter(({ res }) => !res.closed).length,
    statuses,
    fetched,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An event in the service's format. */
export function formatEvent(
  id: string,
  {
    deliveryId = 'd1',
    channel = 'IN_APP',
    message = { title: 'Hello', body: '<p>Hello, Ada</p>' } as object,
  } = {},
): string {
  return `id: ${id}\nevent: message\ndata: ${JSON.stringify({ deliveryId, campaignId: 'c1', channel, expiresAt: 5, message })}\n\n`;
}
