import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Egress } from './egress.ts';

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As much of it as was wanted and came in time. */
  readonly body: string;
};

/** Sends requests to addresses that come from outside, over vetted connections which it keeps for a while. */
export interface HttpSender {
  /**
   * The answer, whatever its status; redirects are not followed. Plain `http:` reaches opened networks only, never a
   * public address.
   * @throws EgressRefusedError, or an error with a code: of the look-up, the connection, TLS, or `ETIMEDOUT`
   */
  post(url: URL, request: { readonly headers: Readonly<Record<string, string>>; readonly body: string; readonly timeoutMs: number }): Promise<HttpAnswer>;
  close(): void;
}

export type HttpSenderOptions = {
  /** Ports at which public addresses are reached, over TLS. */
  readonly publicPorts: readonly number[];
  readonly answerBytesMax: number;
  /** Certificates to trust instead of the system's. */
  readonly ca?: string;
};

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 5_000;
const IDLE_CONNECTIONS_PER_HOST_MAX = 10;

export function createHttpSender(egress: Egress, { publicPorts, answerBytesMax, ca }: HttpSenderOptions): HttpSender {
  const settings = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_PER_HOST_MAX, timeout: IDLE_TIMEOUT_MS };
  const plain = withConnections(new HttpAgent(settings), ({ host, port }) => egress.connect({ host, port, timeoutMs: CONNECT_TIMEOUT_MS, publicPorts: [] }));
  const secure = withConnections(new HttpsAgent(settings), async ({ host, port }) =>
    startTls(await egress.connect({ host, port, timeoutMs: CONNECT_TIMEOUT_MS, publicPorts }), { host, ca }),
  );

  const postOnce: HttpSender['post'] = (url, { headers, body, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const signal = AbortSignal.timeout(timeoutMs);
      const options = { method: 'POST', headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) }, signal };
      const req = isSecure ? httpsRequest(url, { ...options, agent: secure }) : httpRequest(url, { ...options, agent: plain });
      let hasAnswer = false;
      req.once('response', (res) => {
        hasAnswer = true;
        void readBody(res, answerBytesMax).then((text) => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }));
      });
      req.on('error', (error) => {
        // While the answer is read, what has come by then is enough.
        if (!hasAnswer) reject(signal.aborted ? tooLate() : Object.assign(error, { isReused: wasReused(req) }));
      });
      req.end(body);
    });

  return {
    async post(url, request) {
      const startedAt = performance.now();
      try {
        return await postOnce(url, request);
      } catch (error) {
        // The other side gave up a kept connection while we took it: nothing is wrong with it.
        if (!isConnectionOver(error)) throw error;
        return postOnce(url, { ...request, timeoutMs: Math.max(1, Math.round(request.timeoutMs - (performance.now() - startedAt))) });
      }
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

const tooLate = (): Error => Object.assign(new Error('the answer took too long'), { code: 'ETIMEDOUT' });

const wasReused = (req: ClientRequest): boolean => req.reusedSocket;

function isConnectionOver(error: unknown): boolean {
  const { isReused, code } = error as { readonly isReused?: unknown; readonly code?: unknown };
  return isReused === true && (code === 'ECONNRESET' || code === 'EPIPE');
}

type Target = { readonly host: string; readonly port: number };

/** Makes an agent open its connections in this way and no other. */
function withConnections<A extends HttpAgent>(agent: A, open: (target: Target) => Promise<Socket>): A {
  agent.createConnection = (options, done) => {
    const host = String(options.host).replace(/^\[|\]$/g, '');
    open({ host, port: Number(options.port) }).then(
      (socket) => done?.(null, socket),
      (error: unknown) => (done as (error: unknown) => void)(error),
    );
    return undefined;
  };
  return agent;
}

function startTls(socket: Socket, { host, ca }: { readonly host: string; readonly ca: string | undefined }): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }), ALPNProtocols: ['http/1.1'] });
    const deadline = setTimeout(() => secured.destroy(tooLate()), CONNECT_TIMEOUT_MS);
    const fail = (error: Error): void => {
      clearTimeout(deadline);
      socket.destroy();
      reject(error);
    };
    secured.once('error', fail);
    secured.once('secureConnect', () => {
      clearTimeout(deadline);
      secured.off('error', fail);
      resolve(secured);
    });
  });
}

/** The first bytes of an answer; the rest is not waited for, nor is one that breaks off or is too slow. */
async function readBody(res: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of res as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= bytesMax) break;
    }
  } catch {
    // The status is what counts.
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8');
}
