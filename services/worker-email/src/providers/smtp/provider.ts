import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { onAbort } from '@tidings/platform';
import type { MailProvider, MailProviderTools } from '../mail-provider.ts';
import { composeMail, type ComposedMail } from './compose.ts';
import { classifyComposeFailure, classifySmtpFailure } from './error-map.ts';
import type { Handover } from './session.ts';
import { createSmtpSessions, type SmtpAccount } from './sessions.ts';
import { checkSettings, type SmtpConfig } from './settings.ts';

/** E-mail over SMTP. A failure without a reply after the whole message was written is unknown. */
export function createSmtp(config: SmtpConfig, tools: MailProviderTools): MailProvider {
  const sessions = createSmtpSessions(config, tools);
  return {
    async send(delivery, linksOf) {
      if (!delivery.mayBegin()) return { status: 'not_sent' };
      const account = sessions.accountOf(delivery);
      let mail: ComposedMail;
      try {
        checkSettings(delivery.settings);
        mail = await composeMail(delivery, linksOf(), account.dkimKeys);
      } catch (error) {
        return classifyComposeFailure(error);
      }
      const handover: Handover = { isComplete: false };
      try {
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
  const session = account.takeIdle() ?? (await account.connect(signal));
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
