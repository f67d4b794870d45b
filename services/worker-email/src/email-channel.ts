import type { Channel, OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import type { Egress } from '@tidings/egress';
import type { EmailConfig } from './config.ts';
import { createMailLinker, type MailLinks } from './mail-links.ts';
import { mailOf } from './mail.ts';
import { classifySmtpFailure } from './providers/smtp/error-map.ts';
import { createSmtpPools, type Handover, type SmtpPool } from './providers/smtp/pools.ts';

/** E-mail over SMTP: at most once. A failure after the whole message was written, without a reply, is unknown. */
export function createEmailChannel(
  config: EmailConfig,
  tools: { readonly egress: Egress; readonly concurrency: number },
): Channel {
  const pools = createSmtpPools(config, tools);
  const linksOf = createMailLinker(config);
  return {
    async send(delivery) {
      const pool = pools.of(delivery);
      if (!delivery.mayBegin()) return { status: 'not_sent' };
      return sendMail(pool, delivery, linksOf(delivery));
    },
    async close() {
      pools.close();
    },
  };
}

async function sendMail(
  pool: SmtpPool,
  delivery: OutgoingDelivery,
  links: MailLinks,
): Promise<SendResult> {
  const handover: Handover = { isComplete: false };
  try {
    // The pool passes unknown fields on to its plugins: this one learns how far the mail came.
    const mail = { ...mailOf(delivery, links), handover, signal: delivery.signal };
    const info = await pool.sendMail(mail);
    return {
      status: 'sent',
      providerCode: info.response.slice(0, 3),
      providerMessage: info.response,
    };
  } catch (error) {
    return classifySmtpFailure(error, handover.isComplete);
  }
}
