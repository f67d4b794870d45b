import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import { formatJson, parseExactJson } from '../../lib/exact-json.ts';
import { toText } from '../../lib/text.ts';
import { listMessageFields, type MessageField } from './message-fields.ts';

/** The fields of a message as they are typed, by name. */
export type MessageTexts = Readonly<Record<string, string>>;

/** An item of `images` or `buttons`. */
type Item = Readonly<Record<string, unknown>>;
type ListKind = 'links' | 'buttons';

/** The message to send. Empty fields are omitted. */
export function buildMessage({
  channel,
  fields,
}: {
  readonly channel: Channel;
  readonly fields: MessageTexts;
}): PushMessage {
  const known = listMessageFields(channel).flatMap((field) => {
    const text = fields[field.name] ?? '';
    return text.trim() === '' ? [] : [[field.name, readValue(field, text)] as const];
  });
  return { body: '', ...Object.fromEntries(known) };
}

/** The texts from which `buildMessage` makes this message. */
export function toMessageTexts(channel: Channel, message: PushMessage): MessageTexts {
  return Object.fromEntries(
    listMessageFields(channel).flatMap(({ name, kind }) => {
      const value = message[name];
      return value === undefined || value === null
        ? []
        : [[name, writeValue(kind, value)] as const];
    }),
  );
}

function readValue({ kind }: MessageField, text: string): unknown {
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === 'json') return readJson(text);
  if (kind === 'textOrObject') return text.trimStart().startsWith('{') ? readJson(text) : text;
  return kind === 'links' || kind === 'buttons' ? readItems(kind, text) : text;
}

function writeValue(kind: MessageField['kind'], value: unknown): string {
  if (kind === 'links' || kind === 'buttons')
    return isListOfItems(value) ? writeItems(kind, value) : formatJson(value);
  return typeof value === 'object' ? formatJson(value) : toText(value);
}

/** Invalid JSON is sent as text: the service then reports the error. */
function readJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/** One item per line, or a JSON array. */
function readItems(kind: ListKind, text: string): readonly Item[] {
  const json = text.trimStart().startsWith('[') ? readJson(text) : null;
  if (Array.isArray(json)) return json;
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => (kind === 'links' ? { url: line } : readButton(line)));
}

const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/g;

/** `label | link`. Filters of Liquid, as in `{{ user.firstName | upcase }}`, do not divide them. */
function readButton(line: string): Item {
  const bar = line.replaceAll(LIQUID, (liquid) => '.'.repeat(liquid.length)).indexOf('|');
  return bar < 0
    ? { label: line, link: '' }
    : { label: line.slice(0, bar).trim(), link: line.slice(bar + 1).trim() };
}

/** Of a draft that another program wrote it may be anything. */
const isListOfItems = (value: unknown): value is readonly Item[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);

/** Lines, or JSON if lines would be read as other items. */
function writeItems(kind: ListKind, items: readonly Item[]): string {
  const text = items
    .map(({ url, label, link }) =>
      kind === 'links' ? toText(url) : `${toText(label)} | ${toText(link)}`,
    )
    .join('\n');
  const read = readItems(kind, text);
  const isSame =
    read.length === items.length &&
    items.every((item, index) =>
      Object.entries(item).every(([key, value]) => read[index]?.[key] === value),
    );
  return isSame ? text : formatJson(items);
}
