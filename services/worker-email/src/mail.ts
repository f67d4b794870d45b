import type { OutgoingDelivery } from '@tidings/channel-worker';
import {
  MAIL_FALLBACK_SUBJECT,
  RETURN_LOCAL_PART,
  RETURN_TOKEN_HEADER,
} from '@tidings/contracts/push/links';
import { buildContent } from './mail-content.ts';
import type { MailLinks } from './mail-links.ts';

/** The sender in an application's channel settings. */
export type SenderSettings = {
  readonly fromAddress: string;
  readonly fromName?: string;
  /** Domain of the return addresses; each e-mail has its own. */
  readonly bounceDomain?: string;
  /** A mailbox of the application that receives unsubscribe requests. */
  readonly unsubscribeMailbox?: string;
};

const CONTROL_CHARACTERS = /\p{Cc}+/gu;
/** Identifies this service's e-mails in feedback loops (support.google.com/mail/answer/6254652). */
const FEEDBACK_SENDER = 'tidings';

/**
 * Builds the e-mail of one delivery: exactly one recipient, whichever text the profile contains,
 * and a stable message id.
 */
export function buildMail(delivery: OutgoingDelivery, links: MailLinks) {
  const list = buildListUnsubscribe(delivery, links);
  const { From: from, Subject: subject, ...headers } = buildFixedHeaders(delivery, links);
  return {
    from,
    to: { name: '', address: delivery.address },
    // An object, because a string would be parsed as a list of addresses.
    envelope: {
      from: { name: '', address: buildReturnAddress(delivery, links) },
      to: [{ name: '', address: delivery.address }],
    },
    subject,
    messageId: buildMessageId(delivery),
    headers: {
      ...headers,
      'X-Tidings-Delivery': delivery.deliveryId,
      [RETURN_TOKEN_HEADER]: links.returnToken,
      ...(list.length > 0 && { 'List-Unsubscribe': list.join(', ') }),
    },
    ...buildContent(delivery.message, links, delivery),
  };
}

export type Mail = ReturnType<typeof buildMail>;

/** Headers shared by all e-mails of a campaign, before encoding; of a personalised one but the subject. */
export function buildFixedHeaders(delivery: OutgoingDelivery, links: MailLinks) {
  const { campaignId, applicationId, purpose } = delivery;
  const { fromAddress, fromName = '' } = delivery.settings as SenderSettings;
  return {
    From: { name: fromName, address: fromAddress },
    Subject: chooseSubject(delivery),
    'X-Tidings-Campaign': campaignId,
    'Feedback-ID': `${campaignId}:${purpose}:${applicationId}:${FEEDBACK_SENDER}`,
    ...(purpose !== 'marketing' && { 'Auto-Submitted': 'auto-generated' }),
    ...(purpose === 'marketing' &&
      links.hasBase && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  };
}

/** The subject of a mail: its own, that of the campaign, or the application's. */
export function chooseSubject({ message, personal, defaultSubject }: OutgoingDelivery): string {
  const title = personal === undefined ? message['title'] : personal.subject;
  return oneLine(
    typeof title === 'string' && title !== '' ? title : (defaultSubject ?? MAIL_FALLBACK_SUBJECT),
  );
}

export function buildMessageId({ deliveryId, settings }: OutgoingDelivery): string {
  const { fromAddress } = settings as SenderSettings;
  return `<${deliveryId}@${fromAddress.split('@')[1] ?? 'localhost'}>`;
}

/** The envelope sender, which receives bounces. */
export function buildReturnAddress(
  { settings }: OutgoingDelivery,
  { returnToken }: MailLinks,
): string {
  const { fromAddress, bounceDomain } = settings as SenderSettings;
  return bounceDomain === undefined
    ? fromAddress
    : `${RETURN_LOCAL_PART}${returnToken}@${bounceDomain}`;
}

/**
 * Values of `List-Unsubscribe` for marketing: a signed one-click URL without login (RFC 8058), and
 * for older clients a mailbox (RFC 2369).
 */
export function buildListUnsubscribe(
  { purpose, settings }: OutgoingDelivery,
  links: MailLinks,
): string[] {
  if (purpose !== 'marketing') return [];
  const { unsubscribeMailbox: mailbox } = settings as SenderSettings;
  return [
    ...(links.unsubscribe === null ? [] : [`<${links.unsubscribe}>`]),
    ...(mailbox === undefined
      ? []
      : [
          `<mailto:${encodeURIComponent(mailbox).replace('%40', '@')}?subject=unsubscribe%20${links.returnToken}>`,
        ]),
  ];
}

function oneLine(text: string): string {
  return text.replace(CONTROL_CHARACTERS, ' ').trim();
}
