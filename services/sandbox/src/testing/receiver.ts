import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server that notes what is posted to it. */
export async function startReceiver(status: number) {
  const calls: {
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      calls.push({ url: String(req.url), headers: req.headers, body });
      res.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
