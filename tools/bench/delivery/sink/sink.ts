import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { answerParent } from '../../child/answer-parent.ts';
import { chooseAnswer } from './provider-answers.ts';
import { serveSmtp } from './smtp.ts';

/** Requests to the sink: its ports, or its counts. */
export type SinkRequest = { readonly ask: 'ports' } | { readonly ask: 'received' };
export type SinkPorts = { readonly smtp: number; readonly http: number };
/** Number of messages, and the time (Date.now()) of the first request to `/at/<name>`. */
export type Received = {
  readonly mails: number;
  readonly requests: number;
  readonly arrivals: Readonly<Record<string, number>>;
};

/**
 * An ideal provider: accepts complete messages over SMTP and HTTP and only counts them. In its own
 * process, for Tidings and for the bare client.
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
    const { status, body } = chooseAnswer(req.url ?? '');
    res
      .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length })
      .end(body);
  });
});
const ports = Promise.all([readPort(smtp), readPort(http)]);

answerParent<SinkRequest, SinkPorts | Received>(async ({ ask }) => {
  if (ask === 'received') return { ...received, arrivals };
  const [smtpPort, httpPort] = await ports;
  return { smtp: smtpPort, http: httpPort };
});

async function readPort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
