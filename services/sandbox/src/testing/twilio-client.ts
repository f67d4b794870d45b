import twilio from 'twilio';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const ACCOUNT_SID = `AC${'1'.repeat(32)}`;
const AUTH_TOKEN = 'a token';
export const FROM = '+15005550006';

/** Twilio's own client, pointed at the sandbox. */
export function createTwilioClient(sandboxUrl: string, authToken = AUTH_TOKEN) {
  const base = new twilio.RequestClient();
  const httpClient = {
    request: (options: Parameters<typeof base.request>[0]) =>
      base.request({ ...options, uri: options.uri.replace('https://api.twilio.com', sandboxUrl) }),
  };
  return new twilio.Twilio(ACCOUNT_SID, authToken, { httpClient: httpClient as typeof base });
}

export type Called = {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: Readonly<Record<string, string>>;
  readonly isSigned: boolean;
};

/** An application that receives callbacks; it checks signatures with Twilio's package. */
export async function startApplication(status = 204) {
  const calls: Called[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const form = Object.fromEntries(new URLSearchParams(body));
      const url = `http://${req.headers.host}${req.url}`;
      calls.push({
        url,
        headers: req.headers,
        form,
        isSigned: twilio.validateRequest(
          AUTH_TOKEN,
          String(req.headers['x-twilio-signature']),
          url,
          form,
        ),
      });
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
