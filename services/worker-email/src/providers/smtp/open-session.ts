import type { OutgoingDelivery } from '@tidings/channel-worker';
import { onAbort } from '@tidings/platform';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Socket } from 'node:net';
import type { MailProviderTools } from '../mail-provider.ts';
import { connectionClosed } from './replies.ts';
import { SmtpSession } from './session.ts';
import type { SmtpConfig, SmtpSettings } from './settings.ts';

type Opening = Pick<OutgoingDelivery, 'settings' | 'secrets' | 'signal'>;

/**
 * Connects, and opens the session: greeting, EHLO, STARTTLS, AUTH. Ends the connection when `signal`
 * aborts.
 * @throws the error of connecting, of TLS or of AUTH, in nodemailer's form; `EgressBlockedError`
 */
export async function openSession(
  { settings, secrets, signal }: Opening,
  config: SmtpConfig,
  { egress }: MailProviderTools,
): Promise<SmtpSession> {
  const { host, port } = settings as SmtpSettings;
  const givingUp = Promise.withResolvers<never>();
  givingUp.promise.catch(() => undefined);
  const stopListening = onAbort(signal, () => givingUp.reject(sendGivenUp()));
  const connecting = egress.connect({ host, port, timeoutMs: config.smtpConnectTimeoutMs });
  try {
    const socket = await Promise.race([connecting, givingUp.promise]);
    const connection = connectionOver(socket, settings as SmtpSettings, config);
    const account = { settings: settings as SmtpSettings, secrets };
    await Promise.race([openedBy(connection, account, config), givingUp.promise]).catch(
      (error: unknown) => {
        connection.removeAllListeners();
        connection.on('error', () => undefined);
        connection.close();
        throw error;
      },
    );
    connection.removeAllListeners();
    return new SmtpSession(connection);
  } catch (error) {
    // After an abort the socket may still be connecting.
    connecting.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
    throw error;
  } finally {
    stopListening();
  }
}

function connectionOver(
  socket: Socket,
  { host, port, security }: SmtpSettings,
  config: SmtpConfig,
): SMTPConnection {
  return new SMTPConnection({
    connection: socket,
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: config.smtpConnectTimeoutMs,
    greetingTimeout: config.smtpConnectTimeoutMs,
    socketTimeout: config.smtpSocketTimeoutMs,
  });
}

/** Resolves when the session is open and, where the account has a user, logged in. */
function openedBy(
  connection: SMTPConnection,
  {
    settings: { username },
    secrets,
  }: {
    readonly settings: SmtpSettings;
    readonly secrets: Readonly<Record<string, string>>;
  },
  config: SmtpConfig,
): Promise<void> {
  // One deadline for all of it: a server that answers a little at a time does not keep a connection
  // for ever.
  let deadline: NodeJS.Timeout | undefined;
  return new Promise<void>((resolve, reject) => {
    deadline = setTimeout(
      () => reject(openingTimedOut()),
      config.smtpConnectTimeoutMs + config.smtpSocketTimeoutMs,
    );
    connection.once('error', reject);
    connection.once('end', () => reject(connectionClosed()));
    connection.connect((error) => {
      if (error) return reject(error);
      if (!username || !connection.allowsAuth) return resolve();
      connection.login({ user: username, pass: secrets['password'] ?? '' }, (failure) =>
        failure ? reject(failure) : resolve(),
      );
    });
  }).finally(() => clearTimeout(deadline));
}

function openingTimedOut(): Error {
  return Object.assign(new Error('The SMTP server did not open the session in time.'), {
    code: 'ETIMEDOUT',
    command: 'CONN',
  });
}

function sendGivenUp(): Error {
  return Object.assign(new Error('The send was given up.'), { code: 'ECONNECTION' });
}
