import type { AddressInfo } from 'node:net';
import type { HttpAddress } from '@tidings/platform';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { Provider, ProviderContext } from '../provider.ts';
import { receiveMail, replyText, type Reply } from './receive-mail.ts';
import type { ReportSender, SmtpAccount } from './report-sender.ts';

/** As much as the large mail providers take, in bytes. */
const MAIL_BYTES_MAX = 25 * 1024 * 1024;
/** Connections that stay open, as those of a pool do, are closed this long after the stop. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * A mail server that takes any mail for anyone (RFC 5321), with any user and password or none.
 * Its faults: `reject` refuses a recipient at RCPT; `reset` cuts the connection at DATA, before a byte of the mail;
 * `status` refuses the mail after DATA; `delay` and `drop_reply` come after it was kept. Some mailboxes report later
 * (`reportKindOf`).
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
    // Its own enhanced codes would stand before the one that a fault asks for.
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
      receiveMail(stream, recipients, ctx).then(
        ({ raw, ...reply }) => {
          // Kept is delivered, or reported: also where the client never hears that it was kept.
          if (reply.type !== 'refused') {
            ctx.reports.follow({
              returnPath: mailFrom ? mailFrom.address : '',
              recipients,
              raw,
              account: accounts.get(session) ?? { user: '', password: '' },
            });
          }
          answer(reply);
        },
        (error: unknown) => {
          // Otherwise the client went away before the end of its mail.
          if (stream.readableEnded) ctx.logger.error({ err: error }, 'mail not kept');
          done(smtpError(451, '4.3.0 The mail could not be kept'));
        },
      );
      const answer = (reply: Reply) => {
        if (reply.type === 'accepted') done(null, '2.0.0 Kept by the sandbox');
        else if (reply.type === 'refused') done(smtpError(reply.status, reply.text));
        else cutConnection(server, session, 'close');
      };
    },
  });
  // Clients that go away in the middle of a mail are part of what is tried out here.
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

/** smtp-server has no call for leaving without a word, so this reaches for the socket. */
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
