import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { PURPOSES, type Purpose } from '@tidings/contracts/push/purposes';
import { START } from '../../conditions/new-condition.ts';
import { readJson } from '../../conditions/read-json.ts';
import {
  buildAudience,
  listMissingAudience,
  readRecipients,
  type AudienceChoice,
} from './audience.ts';
import { listMessageFields } from './message-fields.ts';
import { buildMessage, type MessageTexts } from './message-values.ts';
import { toSchedule } from './send-time.ts';
import { buildWinner, type WinnerChoice } from '../split-tests/winner.ts';

/** A template to send. */
export type TemplateChoice = {
  /** Empty until chosen. */
  readonly slug: string;
  /** Empty: the current one. */
  readonly version: string;
  /** Counts if there are several. */
  readonly share: string;
};

/** The values of the form, all as text but the condition. */
export type Draft = AudienceChoice & {
  /** Empty: it has none. */
  readonly name: string;
  readonly tags: readonly string[];
  readonly channel: Channel;
  readonly purpose: Purpose;
  /** Whether `fields` or `templates` counts. */
  readonly content: 'message' | 'template';
  readonly fields: MessageTexts;
  readonly personalize: boolean;
  /** Several split the recipients between them. */
  readonly templates: readonly TemplateChoice[];
  /** Of several, which one most recipients get; null: each gets one at once. */
  readonly winner: WinnerChoice | null;
  /** At `time` in the time zone of this browser, or in that of each recipient. */
  readonly when: 'now' | 'at' | 'local';
  /** `YYYY-MM-DDTHH:MM`; empty until chosen. */
  readonly time: string;
};

/** The initial draft from the URL, for example `?channel=SMS&to=ada,grace`, `?segment=loyal`, `?condition={…}` or `?template=welcome@3`. */
export function parseDraft({
  channel,
  to = '',
  segment = '',
  condition = '',
  purpose,
  template = '',
  recheck,
}: Readonly<Record<string, string | undefined>>): Draft {
  const own = condition === '' ? undefined : readJson(condition).value;
  return {
    name: '',
    tags: [],
    channel: CHANNELS.find((each) => each === channel) ?? 'EMAIL',
    to: own !== undefined ? 'condition' : to === '' ? 'segment' : 'users',
    recipients: readRecipients(to).join('\n'),
    segment,
    condition: own ?? START,
    exclude: '',
    recheck: recheck === 'true',
    purpose: readPurpose(purpose),
    content: template === '' ? 'message' : 'template',
    fields: {},
    personalize: false,
    templates: [readChoice(template)],
    winner: null,
    when: 'now',
    time: '',
  };
}

/** Marketing until another is chosen: any other default could reach who unsubscribed. */
export const readPurpose = (value: unknown): Purpose =>
  PURPOSES.find((each) => each === value) ?? 'marketing';

const USER_VALUE = /\{\{[^{}]*\buser\.[^{}]*\}\}/;
const namesUser = ({ fields }: Draft): boolean =>
  Object.values(fields).some((text) => USER_VALUE.test(text));

/** The draft after a change. The first value of the user in its texts makes it personal: few mean to send it literally. */
export function changeDraft(draft: Draft, changes: Partial<Draft>): Draft {
  const next = { ...draft, ...changes };
  return namesUser(next) && !namesUser(draft) ? { ...next, personalize: true } : next;
}

/** A template as a push names it: `welcome`, or `welcome@3`. */
export function readChoice(name: string): TemplateChoice {
  const [slug = '', version = ''] = name.split('@');
  return { slug, version, share: SHARE };
}

/** The share of each template, until it is changed. */
export const SHARE = '50';

/** The labels of required fields that are still empty. */
export const listMissing = (draft: Draft): readonly string[] => [
  ...listMissingAudience(draft),
  ...listMissingMessage(draft),
  ...listMissingTime(draft),
];

export const listMissingTime = ({ when, time }: Draft): readonly string[] =>
  when !== 'now' && time === '' ? ['a time'] : [];

export function listMissingMessage({
  content,
  channel,
  fields,
  templates,
}: Draft): readonly string[] {
  if (content === 'template')
    return templates.some(({ slug }) => slug === '') ? ['a template'] : [];
  return listMessageFields(channel)
    .filter(({ name, isNeeded }) => isNeeded && (fields[name] ?? '').trim() === '')
    .map(({ needed }) => needed ?? 'a text');
}

export function buildRequest(draft: Draft, isDryRun: boolean): Readonly<Record<string, unknown>> {
  const name = draft.name.trim();
  return {
    ...(name !== '' && { name }),
    ...(draft.tags.length > 0 && { tags: draft.tags }),
    ...buildAudience(draft),
    channel: draft.channel,
    ...buildContent(draft),
    purpose: draft.purpose,
    ...toSchedule(draft),
    ...(isDryRun && { dryRun: true }),
  };
}

function buildContent({
  content,
  channel,
  fields,
  personalize,
  templates,
  winner,
}: Draft): Readonly<Record<string, unknown>> {
  if (content === 'message')
    return { message: buildMessage({ channel, fields }), ...(personalize && { personalize }) };
  const [first, ...others] = templates.map(({ slug, version, share }) => ({
    template: version === '' ? slug : `${slug}@${version}`,
    share: Number(share),
  }));
  return others.length === 0
    ? { template: first?.template }
    : { split: [first, ...others], ...buildWinner({ channel, winner }) };
}
