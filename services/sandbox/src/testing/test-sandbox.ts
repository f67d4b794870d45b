import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, systemClock, systemIds } from '@tidings/platform';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { MessageCounts, StoredMessage } from '../messages/message.ts';
import { startSandbox } from '../service.ts';

export type MessagesAnswer = {
  readonly count: number;
  readonly messages: readonly StoredMessage[];
};

export interface TestSandbox extends AsyncDisposable {
  readonly url: string;
  readonly smtpPort: number;
  readonly dataDir: string;
  /** Sends a request, with a JSON body if given. */
  request(method: string, path: string, body?: unknown): Promise<Response>;
  messages(query?: string): Promise<MessagesAnswer>;
  counts(query?: string): Promise<MessageCounts>;
  /** Sends one mail with a real SMTP client. */
  send(mail: SendMailOptions): Promise<{ readonly response: string }>;
  /** Stops the sandbox like a drain; its data stays. */
  stop(): Promise<void>;
}

/** A sandbox on free ports; `await using` stops it and deletes its data. */
export async function startTestSandbox(
  options: {
    readonly dataDir?: string;
    readonly messagesMax?: number;
    readonly hostnames?: readonly string[];
    readonly hookSecret?: string;
    readonly reportUrl?: string;
  } = {},
): Promise<TestSandbox> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tidings-sandbox-')));
  const sandbox = await startSandbox(
    {
      host: '127.0.0.1',
      port: 0,
      hostnames: options.hostnames ?? [],
      smtpPort: 0,
      dataDir,
      messagesMax: options.messagesMax ?? 1_000,
      hookSecret: options.hookSecret ?? '',
      reportUrl: options.reportUrl ?? '',
    },
    { logger: createLogger('sandbox', 'silent'), clock: systemClock, ids: systemIds },
  );
  const transport = createTransport({
    host: '127.0.0.1',
    port: sandbox.smtpPort,
    pool: true,
    maxConnections: 1,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    transport.close();
    stopped ??= sandbox.stopIntake().then(() => sandbox.disconnect());
    return stopped;
  };
  const request = (method: string, path: string, body?: unknown) =>
    fetch(`${sandbox.url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  return {
    url: sandbox.url,
    smtpPort: sandbox.smtpPort,
    dataDir,
    request,
    messages: async (query = '') =>
      (await request('GET', `/api/messages${query}`)).json() as Promise<MessagesAnswer>,
    counts: async (query = '') =>
      (await request('GET', `/api/messages/counts${query}`)).json() as Promise<MessageCounts>,
    send: (mail) => transport.sendMail(mail),
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A campaign mail as worker-email sends it. */
export function campaignMail(to: string, campaignId: string, deliveryId: string): SendMailOptions {
  return {
    from: 'shop@example.com',
    to,
    subject: `For ${to}`,
    html: '<p>Hello</p>',
    headers: { 'X-Tidings-Campaign': campaignId, 'X-Tidings-Delivery': deliveryId },
  };
}
