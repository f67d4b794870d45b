import type { OutgoingDelivery } from '@tidings/channel-worker';
import type { EmailSettings } from './smtp-pools.ts';

const FALLBACK_SUBJECT = 'A message for you';
const HTML = /<(?:!doctype|[a-z][a-z0-9-]*)(?:\s[^>]*)?\/?>/i;
const CONTROL_CHARACTERS = /\p{Cc}+/gu;

/** The mail of one delivery: one recipient, whatever the profile holds, and an id that stays the same. */
export function mailOf(delivery: OutgoingDelivery) {
  const { fromAddress, fromName = '' } = delivery.settings as EmailSettings;
  const body = String(delivery.message['body']);
  const title = delivery.message['title'];
  return {
    from: { name: fromName, address: fromAddress },
    to: { name: '', address: delivery.address },
    // Objects here too: a string would be read as a list of addresses.
    envelope: { from: { name: '', address: fromAddress }, to: [{ name: '', address: delivery.address }] },
    subject: oneLine(typeof title === 'string' && title !== '' ? title : (delivery.defaultSubject ?? FALLBACK_SUBJECT)),
    messageId: `<${delivery.deliveryId}@${fromAddress.split('@')[1] ?? 'localhost'}>`,
    headers: { 'X-Tidings-Campaign': delivery.campaignId, 'X-Tidings-Delivery': delivery.deliveryId },
    ...(HTML.test(body) ? { html: body } : { text: body }),
  };
}

function oneLine(text: string): string {
  return text.replace(CONTROL_CHARACTERS, ' ').trim();
}
