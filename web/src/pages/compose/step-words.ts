import type { AutomationMessage } from '@tidings/contracts/automations/definition';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { listMessageFields, type MessageField } from './message-fields.ts';
import { buildMessage, toMessageTexts, type MessageTexts } from './message-values.ts';
import { toHtmlText, toPlainText, withoutUnsubscribe } from './plain-text.ts';

type Words = { readonly channel: Channel; readonly texts: MessageTexts };

/** What was written in the steps of a draft, so that no change of a channel loses it. A campaign has one step. */
export type StepWords = ReturnType<typeof createStepWords>;

/** Lives as long as the page of the draft. */
export function createStepWords() {
  /** By step, and the latest last. */
  const written = new Map<string, readonly Words[]>();
  const templates = new Map<string, string>();
  const keyOf = (step: string, channel: Channel): string => `${step} ${channel}`;
  const keep = (step: string, { channel, template, message }: AutomationMessage): void => {
    if (template !== undefined) templates.set(keyOf(step, channel), template);
    else {
      const others = (written.get(step) ?? []).filter((each) => each.channel !== channel);
      const texts = toMessageTexts(channel, message ?? { body: '' });
      written.set(step, [...others, { channel, texts }]);
    }
  };
  /** Its own words of earlier, and of those that it lacks the latest that another channel has. */
  const write = (step: string, channel: Channel): AutomationMessage => {
    const known = written.get(step) ?? [];
    const own = known.filter((each) => each.channel === channel);
    const others = known.filter((each) => each.channel !== channel);
    const fields = [...others, ...own].reduce<MessageTexts>(
      (before, words) => ({ ...before, ...takeOver(words, channel) }),
      {},
    );
    return { channel, message: buildMessage({ channel, fields }) };
  };
  const name = (step: string, channel: Channel): AutomationMessage => ({
    channel,
    template: templates.get(keyOf(step, channel)) ?? '',
  });
  return {
    keep,
    /** A message that is added: with its words of earlier alone. */
    add(step: string, channel: Channel): AutomationMessage {
      const own = written.get(step)?.find((each) => each.channel === channel);
      return { channel, message: buildMessage({ channel, fields: own?.texts ?? {} }) };
    },
    toChannel(step: string, message: AutomationMessage, channel: Channel): AutomationMessage {
      keep(step, message);
      // A template is of one channel.
      return message.template === undefined ? write(step, channel) : name(step, channel);
    },
    toTemplate(step: string, message: AutomationMessage): AutomationMessage {
      keep(step, message);
      return name(step, message.channel);
    },
    toMessage(step: string, message: AutomationMessage): AutomationMessage {
      keep(step, message);
      return write(step, message.channel);
    },
  };
}

/** The fields of a campaign, or a variant, in another channel. Those that it does not have stay. */
export function changeFields(
  words: StepWords,
  {
    channel,
    fields,
    step = '',
  }: { readonly channel: Channel; readonly fields: MessageTexts; readonly step?: string },
  next: Channel,
): MessageTexts {
  const written = { channel, message: buildMessage({ channel, fields }) };
  const { message = { body: '' } } = words.toChannel(step, written, next);
  const texts = toMessageTexts(next, message);
  const own = listMessageFields(next).map(({ name }) => [name, texts[name] ?? ''] as const);
  return { ...fields, ...Object.fromEntries(own) };
}

/** The texts that mean the same in another channel. */
function takeOver({ channel, texts }: Words, next: Channel): MessageTexts {
  const before = new Map(listMessageFields(channel).map((field) => [field.name, field]));
  return Object.fromEntries(
    listMessageFields(next).flatMap((field) => {
      const from = before.get(field.name);
      const text = texts[field.name] ?? '';
      if (from === undefined || text.trim() === '') return [];
      if (channel === next) return [[field.name, text] as const];
      if (field.name === 'body') {
        const body = toBody({ channel, texts }, next);
        return body === '' ? [] : [[field.name, body] as const];
      }
      return isSame(from, field) ? [[field.name, text] as const] : [];
    }),
  );
}

/** A subject is a title. The link of a notification is not the address of a hook. */
const isSame = (one: MessageField, other: MessageField): boolean =>
  one.name === 'title' || (one.label === other.label && one.hint === other.hint);

/** An object of JSON, but no Liquid: data of another system. */
const OBJECT = /^\s*\{(?![{%])/;

function toBody({ channel, texts }: Words, next: Channel): string {
  const { format } = texts;
  const [was, is] = [formOf(channel), formOf(next)];
  const body =
    was === 'mail' && is !== 'mail'
      ? withoutUnsubscribe(texts['body'] ?? '')
      : (texts['body'] ?? '');
  if (was === 'values' && OBJECT.test(body)) return '';
  if (was === 'html' || (was === 'mail' && isHtmlMessage({ body, format })))
    return is === 'html' || is === 'mail' ? body : toPlainText(body);
  return is === 'html' ? toHtmlText(body) : body;
}

function formOf(channel: Channel): string {
  const form = CHANNEL_DESCRIPTORS[channel].templated['body'];
  return typeof form === 'string' ? form : 'text';
}
