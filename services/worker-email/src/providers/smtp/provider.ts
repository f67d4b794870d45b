import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { MailProvider, MailProviderTools } from '../mail-provider.ts';
import { composeMail, type ComposedMail } from './compose.ts';
import { classifyComposeFailure, classifySmtpFailure } from './error-map.ts';
import { MailNotSentError, type Handover } from './session.ts';
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

/** A mail of which nothing was sent behind another one goes over a connection of its own. */
async function sendMail(account: SmtpAccount, sending: Sending): Promise<SendResult> {
  for (const mayWaitBehind of [true, false]) {
    const result = await trySending(account, sending, mayWaitBehind);
    if (result !== 'connection_ended') return result;
  }
  return { status: 'not_sent' };
}

async function trySending(
  account: SmtpAccount,
  { delivery: { signal, mayBegin }, mail, handover }: Sending,
  mayWaitBehind: boolean,
): Promise<SendResult | 'connection_ended'> {
  const session = account.take({ mayWaitBehind }) ?? (await account.connect(signal));
  try {
    // Asked after connecting, which may have taken longer than the lease.
    if (signal.aborted || !mayBegin()) return { status: 'not_sent' };
    const response = await session.send({ ...mail, handover }, signal);
    return { status: 'sent', providerCode: response.slice(0, 3), providerMessage: response };
  } catch (error) {
    if (error instanceof MailNotSentError) return 'connection_ended';
    throw error;
  } finally {
    account.release(session);
  }
}
