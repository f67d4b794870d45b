import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  SUPPRESSIBLE_CHANNELS,
  type SuppressibleChannel,
} from '@tidings/contracts/channels/suppressions';
import type { Subscriber } from '@tidings/people/suppressions';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const STYLE = readFileSync(join(import.meta.dirname, 'page.css'), 'utf8');

/** Only this style sheet, and forms that post to this page. Nothing else is loaded or run. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CHANNEL_NAMES = { EMAIL: 'E-mail', SMS: 'SMS' } as const satisfies Record<
  SuppressibleChannel,
  string
>;
const MESSAGES = {
  EMAIL: 'marketing e\u2011mails',
  SMS: 'marketing text messages',
} as const satisfies Record<SuppressibleChannel, string>;

export type PageFacts = {
  /** Null: the user was deleted. */
  readonly subscriber: Subscriber | null;
  /** Whether the page confirms a choice. */
  readonly isChanged: boolean;
};

/** Whether the page has to ask for the address of the mail. Only happens for e-mail. */
export const isAddressUnknown = ({ addresses }: Subscriber): boolean =>
  Object.keys(addresses).length === 0;

/** The unsubscribe page of one recipient, without a login. */
export function preferencePage({ subscriber, isChanged }: PageFacts): string {
  const name = subscriber === null ? '' : escaped(subscriber.applicationName);
  const content =
    subscriber === null
      ? NOTHING_TO_CHANGE
      : isAddressUnknown(subscriber)
        ? renderQuestion(subscriber, isChanged)
        : renderChoices(subscriber, isChanged);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>E-mail preferences${name === '' ? '' : ` – ${name}`}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${name === '' ? '' : `<p class="sender">${name}</p>`}
${content}
</main>
</body>
</html>
`;
}

const NOTHING_TO_CHANGE = `<h1>Nothing to change</h1>
<p>We no longer have your address, so you will not get any marketing messages.</p>`;

/**
 * Asks for the address of the mail. `isChanged`: shows an error for an invalid address, or
 * confirms.
 */
function renderQuestion({ hasUnsubscribed }: Subscriber, isChanged: boolean): string {
  if (hasUnsubscribed) {
    return `<div${isChanged ? ' role="status"' : ''}>
<h1>You are unsubscribed</h1>
<p>An address was unsubscribed with this link. Messages already on their way may still arrive. To unsubscribe another address, use the link in a newer e\u2011mail.</p>
</div>`;
  }
  return `<h1>Which address do you want to unsubscribe?</h1>
<p>This link is from an older e\u2011mail, and your profile has changed since. You will still get messages about your orders and your account.</p>
<form method="post">
<label class="address">E\u2011mail address the message was sent to
<input type="email" name="address" required maxlength="254" autocomplete="email"${isChanged ? ' aria-invalid="true" aria-describedby="fault"' : ''}></label>
${isChanged ? '<p class="fault" id="fault" role="alert">Enter a complete e\u2011mail address, for example ada@example.org.</p>\n' : ''}<button class="primary" name="action" value="unsubscribe">Unsubscribe</button>
</form>`;
}

function renderChoices(subscriber: Subscriber, isChanged: boolean): string {
  const known = SUPPRESSIBLE_CHANNELS.filter(
    (channel) => subscriber.addresses[channel] !== undefined,
  );
  const ofMessage = known.find((channel) => channel === subscriber.channel);
  const first =
    ofMessage === undefined
      ? '<h1>Choose which messages you get</h1>'
      : renderOneClick(ofMessage, subscriber, isChanged);
  return `${first}\n${known.length > 1 || ofMessage === undefined ? renderPreferences(known, subscriber) : ''}`;
}

/** The one-click part: one button. */
function renderOneClick(
  channel: SuppressibleChannel,
  { addresses, unsubscribed }: Subscriber,
  isChanged: boolean,
): string {
  const address = `<strong>${escaped(masked(channel, addresses[channel] ?? ''))}</strong>`;
  const status = isChanged ? ' role="status"' : '';
  if (unsubscribed.has(channel)) {
    return `<div${status}>
<h1>You are unsubscribed</h1>
<p>You will no longer get ${MESSAGES[channel]} at ${address}. Messages already on their way may still arrive.</p>
</div>
<form method="post"><button name="action" value="resubscribe">Subscribe again</button></form>`;
  }
  return `<div${status}>
<h1>${isChanged ? 'You are subscribed' : 'Unsubscribe?'}</h1>
<p>${isChanged ? `You will get ${MESSAGES[channel]} at ${address}.` : `You will no longer get ${MESSAGES[channel]} at ${address}.`} You will still get messages about your orders and your account.</p>
</div>
<form method="post"><button class="primary" name="action" value="unsubscribe">Unsubscribe</button></form>`;
}

function renderPreferences(
  channels: readonly SuppressibleChannel[],
  { addresses, unsubscribed }: Subscriber,
): string {
  const boxes = channels.map(
    (
      channel,
    ) => `<label><input type="checkbox" name="marketing" value="${channel}"${unsubscribed.has(channel) ? '' : ' checked'}>
<span>${CHANNEL_NAMES[channel]}<small>${escaped(masked(channel, addresses[channel] ?? ''))}</small></span></label>`,
  );
  return `<form method="post" class="preferences">
<fieldset>
<legend>Marketing messages by</legend>
${boxes.join('\n')}
</fieldset>
<button name="action" value="save">Save</button>
</form>`;
}

/**
 * Masks an address: its owner recognizes it, a person the mail was forwarded to does not learn it.
 */
function masked(channel: SuppressibleChannel, address: string): string {
  switch (CHANNEL_DESCRIPTORS[channel].address.kind) {
    case 'phone':
      return `••• ${address.slice(-3)}`;
    case 'mailbox':
      return `${/^./u.exec(address)?.[0] ?? ''}•••${address.slice(address.lastIndexOf('@'))}`;
    case 'device':
    case 'identity':
      return '•••';
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
