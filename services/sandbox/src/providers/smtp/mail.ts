import PostalMime, { type Address, type Email } from 'postal-mime';
import type { ReceivedMessage } from '../../messages/message.ts';

/** Headers in which worker-email writes the campaign and delivery ids. */
const CAMPAIGN_HEADER = 'x-tidings-campaign';
const DELIVERY_HEADER = 'x-tidings-delivery';

/** What the connection says of a mail. */
export type Envelope = {
  readonly recipients: readonly string[];
  /** The user name of the client; null without a login. */
  readonly login: string | null;
};

/** Splits a mail into messages, one per envelope recipient. @throws Error if it is not MIME */
export async function messagesOfMail(
  raw: Buffer,
  { recipients, login }: Envelope,
): Promise<ReceivedMessage[]> {
  const email = await PostalMime.parse(raw);
  const headers = listHeaders(email);
  const mail = {
    channel: 'EMAIL',
    campaignId: headers[CAMPAIGN_HEADER] ?? null,
    deliveryId: headers[DELIVERY_HEADER] ?? null,
    title: email.subject ?? null,
    body: email.html ?? email.text ?? '',
    data: {
      from: addressText(email.from),
      login,
      headers,
      text: email.text ?? null,
      html: email.html ?? null,
      attachments: email.attachments.map(({ filename, mimeType, content }) => ({
        filename,
        mimeType,
        bytes: typeof content === 'string' ? content.length : content.byteLength,
      })),
    },
    raw: raw.toString(),
  } as const;
  return recipients.map((to) => ({ ...mail, to }));
}

/** Headers by lower-case name; the values of a repeated header are joined by line breaks. */
function listHeaders(email: Email): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const { key, value } of email.headers) {
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}\n${value}`);
  }
  return Object.fromEntries(headers);
}

function addressText(address: Address | undefined): string | null {
  if (address === undefined) return null;
  if (address.group !== undefined) return address.name;
  return address.name === '' ? address.address : `${address.name} <${address.address}>`;
}
