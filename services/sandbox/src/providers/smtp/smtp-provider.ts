import type { AddressInfo } from 'node:net';
import type { HttpAddress } from '@tidings/platform';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { Provider, ProviderContext } from '../provider.ts';
import { receiveMail, replyText, type Reply } from './receive-mail.ts';
import type { ReportSender, SmtpAccount } from './report-sender.ts';

/** Size limit in bytes, like that of large mail providers. */
const MAIL_BYTES_MAX = 25 * 1024 * 1024;
/** Pooled connections that stay open are closed this long after the stop. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * An SMTP server (RFC 5321) that accepts any mail, with any login or none. Faults: `reject` refuses
 * a recipient at RCPT; `reset` cuts the connection at DATA, before the mail; `status` rejects the
 * mail after DATA; `delay` and `drop_reply` apply after it was stored. Some mailboxes send reports
 * later (`readReportKind`).
 */
export async function startSmtpProvider(
  { host, port }: HttpAddress,
  ctx: ProviderContext & { readonly reports: ReportSender },
): Promise<Provider> {
  const accounts = new WeakMap<SMTPServerSession, SmtpAccount>();
  const server: SMTPServer = new SMTPServer({
    name: 'sandbox.tidings',
    size: MAIL_BYTES_MAX,
    authOptional: true,
    authMethods: ['PLAIN', 'LOGIN', 'CRAM-MD5', 'XOAUTH2'],
    disabledCommands: ['STARTTLS'],
    // The server's own enhanced codes would precede the code of a fault.
    hideENHANCEDSTATUSCODES: true,
    disableReverseLookup: true,
    closeTimeout: CLOSE_TIMEOUT_MS,
    logger: false,
    onAuth: (auth, session, done) => {
      accounts.set(session, { user: auth.username ?? '', password: auth.password ?? '' });
      done(null, { user: auth.username ?? 'anyone' });
    },
    onRcptTo: (_address, _session, done) => {
      const fault = ctx.faults.strike('EMAIL', 'reject');
      if (fault === undefined) return done();
      return done(smtpError(fault.status ?? 550, replyText({ code: fault.code ?? '5.1.1' })));
    },
    onData: (stream, session, done) => {
      if (ctx.faults.strike('EMAIL', 'reset') !== undefined) {
        cutConnection(server, session, 'reset');
        return;
      }
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      const { mailFrom } = session.envelope;
      const account = accounts.get(session);
      receiveMail(stream, { recipients, login: account?.user ?? null }, ctx).then(
        ({ raw, ...reply }) => {
          // A stored mail is delivered, or reported, even if the client never gets the reply.
          if (reply.type !== 'refused') {
            ctx.reports.follow({
              returnPath: mailFrom ? mailFrom.address : '',
              recipients,
              raw,
              account: account ?? { user: '', password: '' },
            });
          }
          answer(reply);
        },
        (error: unknown) => {
          // Otherwise the client disconnected before the end of its mail.
          if (stream.readableEnded) ctx.logger.error({ err: error }, 'mail not stored');
          done(smtpError(451, '4.3.0 The mail could not be stored'));
        },
      );
      const answer = (reply: Reply) => {
        if (reply.type === 'accepted') done(null, '2.0.0 Stored by the sandbox');
        else if (reply.type === 'refused') done(smtpError(reply.status, reply.text));
        else cutConnection(server, session, 'close');
      };
    },
  });
  // Clients that disconnect in the middle of a mail are normal in tests.
  server.on('error', (error) => ctx.logger.debug({ err: error }, 'smtp connection failed'));
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, () => {
      server.server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** smtp-server cannot close a connection without a reply, so this uses the socket. */
function cutConnection(
  server: SMTPServer,
  { id }: SMTPServerSession,
  how: 'reset' | 'close',
): void {
  for (const connection of server.connections) {
    if (connection.id !== id) continue;
    if (how === 'reset') connection._socket.resetAndDestroy();
    else connection._socket.destroy();
  }
}
