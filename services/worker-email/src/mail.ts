import type { OutgoingDelivery } from '@tidings/channel-worker';
import { MAIL_FALLBACK_SUBJECT, RETURN_LOCAL_PART, RETURN_TOKEN_HEADER } from '@tidings/contracts';
import { contentOf } from './mail-content.ts';
import type { MailLinks } from './mail-links.ts';

/** The sender of an application's mails, in its channel settings. */
type SenderSettings = {
  readonly fromAddress: string;
  readonly fromName?: string;
  /** Where mails that cannot be delivered are sent back to: an address at this domain for each. */
  readonly bounceDomain?: string;
  /** A mailbox of the application that takes unsubscriptions. */
  readonly unsubscribeMailbox?: string;
};

const CONTROL_CHARACTERS = /\p{Cc}+/gu;
/** Of all mails of this service: by it, mail providers tell the sender (support.google.com/mail/answer/6254652). */
const FEEDBACK_SENDER = 'tidings';

/** The mail of one delivery: one recipient, whatever the profile holds, and an id that stays the same. */
export function mailOf(delivery: OutgoingDelivery, links: MailLinks) {
  const { fromAddress, fromName = '', bounceDomain } = delivery.settings as SenderSettings;
  const title = delivery.message['title'];
  const returnAddress =
    bounceDomain === undefined
      ? fromAddress
      : `${RETURN_LOCAL_PART}${links.returnToken}@${bounceDomain}`;
  return {
    from: { name: fromName, address: fromAddress },
    to: { name: '', address: delivery.address },
    // Objects here too: a string would be read as a list of addresses.
    envelope: {
      from: { name: '', address: returnAddress },
      to: [{ name: '', address: delivery.address }],
    },
    subject: oneLine(
      typeof title === 'string' && title !== ''
        ? title
        : (delivery.defaultSubject ?? MAIL_FALLBACK_SUBJECT),
    ),
    messageId: `<${delivery.deliveryId}@${fromAddress.split('@')[1] ?? 'localhost'}>`,
    headers: headersOf(delivery, links),
    ...contentOf(delivery.message, links, delivery),
  };
}

export type Mail = ReturnType<typeof mailOf>;

function headersOf(delivery: OutgoingDelivery, links: MailLinks): Readonly<Record<string, string>> {
  const { campaignId, deliveryId, applicationId, purpose } = delivery;
  return {
    'X-Tidings-Campaign': campaignId,
    'X-Tidings-Delivery': deliveryId,
    [RETURN_TOKEN_HEADER]: links.returnToken,
    'Feedback-ID': `${campaignId}:${purpose}:${applicationId}:${FEEDBACK_SENDER}`,
    ...(purpose === 'marketing'
      ? listHeaders(delivery.settings as SenderSettings, links)
      : { 'Auto-Submitted': 'auto-generated' }),
  };
}

/** One click unsubscribes (RFC 8058): a signed address that needs no login, and for older clients a mailbox (RFC 2369). */
function listHeaders(
  { unsubscribeMailbox }: SenderSettings,
  { unsubscribe, returnToken }: MailLinks,
): Readonly<Record<string, string>> {
  const ways = [
    ...(unsubscribe === null ? [] : [`<${unsubscribe}>`]),
    ...(unsubscribeMailbox === undefined
      ? []
      : [
          `<mailto:${encodeURIComponent(unsubscribeMailbox).replace('%40', '@')}?subject=unsubscribe%20${returnToken}>`,
        ]),
  ];
  return {
    ...(ways.length > 0 && { 'List-Unsubscribe': ways.join(', ') }),
    ...(unsubscribe !== null && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  };
}

function oneLine(text: string): string {
  return text.replace(CONTROL_CHARACTERS, ' ').trim();
}
