import type { OutgoingDelivery } from '@tidings/channel-worker';
import { createTransport, type SMTPPoolOptions } from 'nodemailer';
import type { MailProviderTools } from '../mail-provider.ts';
import { dkimOf } from './dkim.ts';
import type { SmtpConfig, SmtpSettings } from './settings.ts';

/** Whether the whole of one mail was written to the server: from then on a missing reply means "nobody knows". */
export type Handover = { isComplete: boolean };

const POOLS_MAX = 100;

export type SmtpPool = ReturnType<typeof createPool>;

/** One pool of connections per version of an application's settings; a change closes the old one. */
export interface SmtpPools {
  of(delivery: OutgoingDelivery): SmtpPool;
  close(): void;
}

export function createSmtpPools(config: SmtpConfig, tools: MailProviderTools): SmtpPools {
  const pools = new Map<string, { readonly settingsKey: string; readonly pool: SmtpPool }>();
  return {
    of(delivery) {
      const { applicationId, settingsKey } = delivery;
      const known = pools.get(applicationId);
      // Put back at the end: the first is the one that was not used for the longest time.
      pools.delete(applicationId);
      if (known?.settingsKey === settingsKey) {
        pools.set(applicationId, known);
        return known.pool;
      }
      // A mail that is on its way is seen through; only idle connections are closed.
      known?.pool.close();
      const [oldest] = pools;
      if (oldest !== undefined && pools.size >= POOLS_MAX) {
        pools.delete(oldest[0]);
        oldest[1].pool.close();
      }
      const pool = createPool(delivery, config, tools);
      pools.set(applicationId, { settingsKey, pool });
      return pool;
    },
    close() {
      for (const { pool } of pools.values()) pool.close();
      pools.clear();
    },
  };
}

function createPool(
  delivery: OutgoingDelivery,
  config: SmtpConfig,
  { egress, concurrency }: MailProviderTools,
) {
  const settings = delivery.settings as SmtpSettings;
  const dkim = dkimOf(settings, delivery.secrets);
  const options: SMTPPoolOptions & { readonly pool: true } = {
    pool: true,
    host: settings.host,
    port: settings.port,
    secure: settings.security === 'tls',
    requireTLS: settings.security === 'starttls',
    ignoreTLS: settings.security === 'none',
    ...(settings.username
      ? { auth: { user: settings.username, pass: delivery.secrets['password'] ?? '' } }
      : {}),
    ...(dkim && { dkim }),
    maxConnections: concurrency,
    maxMessages: 1_000,
    // The pool must never send again by itself: whether that is safe is decided by the outcome.
    maxRequeues: 0,
    connectionTimeout: config.smtpConnectTimeoutMs,
    greetingTimeout: config.smtpConnectTimeoutMs,
    socketTimeout: config.smtpSocketTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options, callback) => {
      egress
        .connect({
          host: settings.host,
          port: settings.port,
          timeoutMs: config.smtpConnectTimeoutMs,
        })
        .then(
          (connection) => callback(null, { connection }),
          (error: Error) => callback(error),
        );
    },
  };
  const pool = createTransport(options);
  pool.use('stream', (mail, done) => {
    const { handover } = mail.data as { readonly handover?: Handover };
    // Of the stream that the connection reads: a signature reads the whole mail before a byte of it leaves.
    const read = mail.message.createReadStream.bind(mail.message);
    mail.message.createReadStream = (...args) => {
      // Read to its end: what follows on the wire is the final dot.
      return read(...args).once('end', () => {
        if (handover !== undefined) handover.isComplete = true;
      });
    };
    done();
  });
  return pool;
}
