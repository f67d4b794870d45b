import {
  CHANNELS,
  PURPOSES,
  type Channel,
  type Purpose,
  type PushMessage,
} from '@tidings/contracts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { listMessageFields, type MessageField } from './message-fields.ts';

/** The values of the form, all as text. */
export type Draft = {
  readonly channel: Channel;
  /** Which of `recipients` and `segment` counts. */
  readonly to: 'segment' | 'users';
  readonly recipients: string;
  /** Slugs; empty until chosen. */
  readonly segment: string;
  readonly exclude: string;
  readonly recheck: boolean;
  /** Empty until chosen: a default could send marketing to unsubscribed users. */
  readonly purpose: Purpose | '';
  readonly fields: Readonly<Record<string, string>>;
  /** At `time` in the time zone of this browser, or in that of each recipient. */
  readonly when: 'now' | 'at' | 'local';
  /** `YYYY-MM-DDTHH:MM`; empty until chosen. */
  readonly time: string;
};

/** The initial draft from the URL, for example `?channel=SMS&to=ada,grace` or `?segment=loyal`. */
export function parseDraft({
  channel,
  to = '',
  segment = '',
  purpose,
}: Readonly<Record<string, string | undefined>>): Draft {
  return {
    channel: CHANNELS.find((each) => each === channel) ?? 'EMAIL',
    to: segment === '' ? 'users' : 'segment',
    recipients: readRecipients(to).join('\n'),
    segment,
    exclude: '',
    recheck: false,
    purpose: PURPOSES.find((each) => each === purpose) ?? '',
    fields: {},
    when: 'now',
    time: '',
  };
}

/** The unique customUserIds of a text, separated by lines, commas or semicolons. */
export function readRecipients(text: string): readonly string[] {
  const ids = text.split(/[\n\r,;]+/).map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== ''))];
}

function readValue({ kind }: MessageField, text: string): unknown {
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === 'json') return readJson(text);
  if (kind === 'textOrObject') return text.trimStart().startsWith('{') ? readJson(text) : text;
  const lines = (): readonly string[] =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  if (kind === 'links') return lines().map((address) => ({ url: address }));
  if (kind === 'buttons') {
    return lines().map((line) => {
      const [label = '', ...link] = line.split('|');
      return { label: label.trim(), link: link.join('|').trim() };
    });
  }
  return text;
}

/** Invalid JSON is sent as text: the service then reports the error. */
function readJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/** The message to send. Empty fields are omitted. */
export function buildMessage({ channel, fields }: Pick<Draft, 'channel' | 'fields'>): PushMessage {
  const known = listMessageFields(channel).flatMap((field) => {
    const text = fields[field.name] ?? '';
    return text.trim() === '' ? [] : [[field.name, readValue(field, text)] as const];
  });
  return { body: '', ...Object.fromEntries(known) };
}

/** The labels of required fields that are still empty. */
export function listMissing(draft: Draft): readonly string[] {
  const isEmpty = (name: string): boolean => (draft.fields[name] ?? '').trim() === '';
  return [
    ...listMissingAudience(draft),
    ...(draft.purpose === '' ? ['a purpose'] : []),
    ...listMessageFields(draft.channel)
      .filter(({ name, isNeeded }) => isNeeded && isEmpty(name))
      .map(({ needed }) => needed ?? 'a text'),
    ...(draft.when !== 'now' && draft.time === '' ? ['a time'] : []),
  ];
}

function listMissingAudience({ to, segment, recipients }: Draft): readonly string[] {
  if (to === 'segment') return segment === '' ? ['a segment'] : [];
  return readRecipients(recipients).length === 0 ? ['recipients'] : [];
}

export function buildRequest(draft: Draft, isDryRun: boolean): Readonly<Record<string, unknown>> {
  const { to, segment, exclude, recheck } = draft;
  return {
    ...(to === 'users'
      ? { recipients: readRecipients(draft.recipients) }
      : { segment, ...(exclude !== '' && { exclude }), ...(recheck && { recheck }) }),
    channel: draft.channel,
    message: buildMessage(draft),
    purpose: draft.purpose,
    ...schedule(draft),
    ...(isDryRun && { dryRun: true }),
  };
}

function schedule({ when, time }: Draft): Readonly<Record<string, unknown>> {
  if (when === 'now') return {};
  return when === 'local' ? { sendAtLocal: time } : { sendAt: new Date(time).getTime() };
}
