import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { onAbort } from '@tidings/platform';
import type { MailProvider, MailProviderTools } from '../mail-provider.ts';
import { composeMail, type ComposedMail } from './compose.ts';
import { classifySmtpFailure } from './error-map.ts';
import type { Handover, SmtpSession } from './session.ts';
import { createSmtpSessions, type SmtpAccount } from './sessions.ts';
import type { SmtpConfig } from './settings.ts';

/** E-mail over SMTP. A failure without a reply after the whole message was written is unknown. */
export function createSmtp(config: SmtpConfig, tools: MailProviderTools): MailProvider {
  const sessions = createSmtpSessions(config, tools);
  return {
    async send(delivery, linksOf) {
      if (!delivery.mayBegin()) return { status: 'not_sent' };
      const handover: Handover = { isComplete: false };
      try {
        const account = sessions.accountOf(delivery);
        const mail = await composeMail(delivery, linksOf(), account.dkimKeys);
        return await sendMail(account, { delivery, mail, handover });
      } catch (error) {
        return classifySmtpFailure(error, handover.isComplete);
      }
    },
    close: () => sessions.close(),
  };
}

type Sending = {
  readonly delivery: OutgoingDelivery;
  readonly mail: ComposedMail;
  readonly handover: Handover;
};

async function sendMail(
  account: SmtpAccount,
  { delivery, mail, handover }: Sending,
): Promise<SendResult> {
  const { signal } = delivery;
  const session = account.takeIdle() ?? (await connectUnlessAborted(account, signal));
  // Asked after connecting, which may have taken longer than the lease.
  if (signal.aborted || !delivery.mayBegin()) {
    account.release(session);
    return { status: 'not_sent' };
  }
  const stopListening = onAbort(signal, () => session.close());
  try {
    const response = await session.send(mail.envelope, mail.content, handover);
    return { status: 'sent', providerCode: response.slice(0, 3), providerMessage: response };
  } finally {
    stopListening();
    account.release(session);
  }
}

/** A new connection; one that opens after `signal` aborted is left to the next mail. */
async function connectUnlessAborted(
  account: SmtpAccount,
  signal: AbortSignal,
): Promise<SmtpSession> {
  const connecting = account.connect();
  let stopListening = (): void => undefined;
  const aborting = new Promise<never>((_resolve, reject) => {
    stopListening = onAbort(signal, () => {
      connecting.then(
        (session) => account.release(session),
        () => undefined,
      );
      reject(Object.assign(new Error('The send was given up.'), { code: 'ECONNECTION' }));
    });
  });
  return Promise.race([connecting, aborting]).finally(stopListening);
}
