import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { answerParent } from '../../child/answer-parent.ts';
import { answerOf } from './provider-answers.ts';
import { serveSmtp } from './smtp.ts';

/** What a sink is asked: where it listens, or what came so far. */
export type SinkRequest = { readonly ask: 'ports' } | { readonly ask: 'received' };
export type SinkPorts = { readonly smtp: number; readonly http: number };
/** How many came, and when (Date.now()) a request to `/at/<name>` came first. */
export type Received = {
  readonly mails: number;
  readonly requests: number;
  readonly arrivals: Readonly<Record<string, number>>;
};

/**
 * Stands for the fastest providers there are: takes whole messages by SMTP and HTTP, says yes, and keeps nothing but numbers.
 * In a process of its own, the same for Tidings and for the bare client.
 */
const received = { mails: 0, requests: 0 };
const arrivals: Record<string, number> = {};
const NAMED = '/at/';

const smtp = createTcpServer({ noDelay: true }, (socket) =>
  serveSmtp(socket, () => (received.mails += 1)),
);
const http = createHttpServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  req.resume().once('end', () => {
    received.requests += 1;
    if (req.url?.startsWith(NAMED) === true) arrivals[req.url.slice(NAMED.length)] ??= Date.now();
    const { status, body } = answerOf(req.url ?? '');
    res
      .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length })
      .end(body);
  });
});
const ports = Promise.all([portOf(smtp), portOf(http)]);

answerParent<SinkRequest, SinkPorts | Received>(async ({ ask }) => {
  if (ask === 'received') return { ...received, arrivals };
  const [smtpPort, httpPort] = await ports;
  return { smtp: smtpPort, http: httpPort };
});

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
