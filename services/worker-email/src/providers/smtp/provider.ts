import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { Mail } from '../../mail.ts';
import type { MailProvider, MailProviderTools } from '../mail-provider.ts';
import { classifySmtpFailure } from './error-map.ts';
import { createSmtpPools, type Handover, type SmtpPool } from './pools.ts';
import type { SmtpConfig } from './settings.ts';

/** Mails over SMTP. A failure after the whole message was written, without a reply, is unknown. */
export function createSmtp(config: SmtpConfig, tools: MailProviderTools): MailProvider {
  const pools = createSmtpPools(config, tools);
  return {
    async send(delivery, mailOf) {
      const pool = pools.of(delivery);
      if (!delivery.mayBegin()) return { status: 'not_sent' };
      return sendMail(pool, delivery, mailOf());
    },
    close: () => pools.close(),
  };
}

async function sendMail(
  pool: SmtpPool,
  { signal }: OutgoingDelivery,
  mail: Mail,
): Promise<SendResult> {
  const handover: Handover = { isComplete: false };
  try {
    // The pool passes unknown fields on to its plugins: this one learns how far the mail came.
    const info = await pool.sendMail({ ...mail, handover, signal } as Mail);
    return {
      status: 'sent',
      providerCode: info.response.slice(0, 3),
      providerMessage: info.response,
    };
  } catch (error) {
    return classifySmtpFailure(error, handover.isComplete);
  }
}
