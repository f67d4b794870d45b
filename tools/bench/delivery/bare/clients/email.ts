import { createTransport } from 'nodemailer';
import type { BareClient, BarePlan } from './client.ts';

/** nodemailer with a connection pool. */
export function createMailClient({ smtpPort, concurrency, body }: BarePlan): BareClient {
  const pool = createTransport({
    pool: true,
    host: '127.0.0.1',
    port: smtpPort,
    secure: false,
    ignoreTLS: true,
    maxConnections: concurrency,
    maxMessages: 1_000,
  });
  return {
    send: (index) =>
      pool.sendMail({
        from: { name: 'Bench', address: 'hello@bench.example' },
        to: { name: '', address: `user-${index}@people.example` },
        subject: 'Hello',
        messageId: `<${crypto.randomUUID()}@bench.example>`,
        headers: {
          'X-Tidings-Campaign': crypto.randomUUID(),
          'X-Tidings-Delivery': crypto.randomUUID(),
        },
        text: body,
      }),
    close: async () => pool.close(),
  };
}
