import type { AutomationMessage } from '@tidings/contracts/automations/definition';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { PushMessage } from '@tidings/contracts/push/push';
import { readHtmlLinks } from '@tidings/mail-body/html-links';
import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { unsubscribeStart } from '@tidings/mail-body/unsubscribe-places';
import { toText } from '../../lib/text.ts';
import { createStepWords, type StepWords } from './step-words.ts';

/** Words of steps. The one link of a mail becomes the link of a notification, which opens nothing by its text. */
export function createLinkedWords(): StepWords {
  const words = createStepWords();
  const links = new Map<string, Linked | null>();
  const note = (step: string, { channel, template, message }: AutomationMessage): void => {
    if (channel === 'EMAIL' && template === undefined) links.set(step, linkOf(message));
  };
  const withLink = (step: string, next: AutomationMessage): AutomationMessage =>
    moveLink(next, links.get(step) ?? null);
  return {
    ...words,
    keep(step, message) {
      note(step, message);
      words.keep(step, message);
    },
    toChannel(step, message, channel) {
      note(step, message);
      return withLink(step, words.toChannel(step, message, channel));
    },
    toTemplate(step, message) {
      note(step, message);
      return words.toTemplate(step, message);
    },
    toMessage: (step, message) => withLink(step, words.toMessage(step, message)),
  };
}

/** An address, and what of it stands behind its words in a text; empty where readers see it. */
type Linked = readonly [address: string, behind: string];

const WEB_ADDRESS = /^(?:https?:|\{[{%])/i;

/** The one address that a mail leads to; null: none, or several. */
function linkOf(message: PushMessage = { body: '' }): Linked | null {
  const body = toText(message.body);
  const links = isHtmlMessage(message) ? readHtmlLinks(body).links : [];
  const [address, another] = new Set(
    links
      .map(({ value }) => value.trim())
      .filter((value) => WEB_ADDRESS.test(value) && unsubscribeStart(value) === 0),
  );
  if (address === undefined || another !== undefined) return null;
  return [address, body.includes(`>${address}<`) ? '' : ` ${address}`];
}

function moveLink(next: AutomationMessage, linked: Linked | null): AutomationMessage {
  const { channel, message } = next;
  const body = toText(message?.body);
  const hasLink = CHANNEL_DESCRIPTORS[channel].templated['url'] !== undefined;
  if (linked === null || !hasLink || toText(message?.['url']) !== '') return next;
  const [url, behind] = linked;
  // Words of its own have no address of the mail.
  if (!body.includes(url)) return next;
  return { ...next, message: { ...message, body: body.replaceAll(behind, ''), url } };
}
