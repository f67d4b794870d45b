import type { TriggerEvent } from '@tidings/contracts/automations/trigger-event';
import type { PushMessage } from '@tidings/contracts/push/push';
import { TEMPLATE_ATTRIBUTES, TEMPLATE_EVENT_ATTRIBUTES } from '@tidings/contracts/push/templates';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import { hash } from 'node:crypto';
import type { MailBody } from './compile-mail-body.ts';
import type { TemplateVariable } from './engine/variables.ts';
import type { TemplateContext, TemplateRun } from './template-context.ts';
import type { TemplateUser } from './user-scope.ts';

/** What was filled into a message for one user: from it the same words come back. */
export type Filling = {
  /** JSON of a `FilledUser`. */
  readonly values: string;
  /** What `now` was: milliseconds since the epoch. */
  readonly renderedAt: number;
  /** A hash of the words, of 16 bytes, as a UUID. */
  readonly words: string;
};

/**
 * Grows when a version of this program may make other words of equal values: see the test of
 * `filling`. Of a mail the hash has what is sent before HTML becomes text, and this the rest.
 */
export const RENDERER_VERSION = 1;

/** The values that a message shows. Integers beyond 2^53 are bigints. */
type FilledUser = Values & {
  readonly [TEMPLATE_ATTRIBUTES]?: Values;
  readonly event?: Partial<TriggerEvent>;
  readonly run?: Partial<TemplateRun>;
};
type Values = Readonly<Record<string, unknown>>;

type ShownFields = {
  readonly fields: readonly string[];
  /** Null: any. */
  readonly attributes: readonly string[] | null;
};

/** What a message shows of its users, and of their runs of an automation. */
export type Shown = ShownFields & { readonly event: ShownFields; readonly run: ShownFields };

/** The fields and attributes that these variables name. */
export const shownBy = (variables: readonly TemplateVariable[]): Shown => ({
  ...shownOf('user', variables),
  event: shownOf('event', variables),
  run: shownOf('run', variables),
});

function shownOf(of: string, variables: readonly TemplateVariable[]): ShownFields {
  const fields = new Set<string>();
  const attributes = new Set<string>();
  let isAny = false;
  for (const { path } of variables) {
    const [root, field, key] = path;
    if (root !== of || field === undefined) continue;
    if (field !== TEMPLATE_ATTRIBUTES && field !== TEMPLATE_EVENT_ATTRIBUTES) fields.add(field);
    // Computed: `user.customAttributes[user.city]`.
    else if (key === undefined) isAny = true;
    else attributes.add(key);
  }
  return { fields: [...fields], attributes: isAny ? null : [...attributes] };
}

/** Of what is recorded for one message: a computed name, or a list, may be of half a megabyte. */
const VALUES_CHARS_MAX = 8 * 1024;

/** JSON of the values that a message shows; null: they are too long to be recorded. */
export function valuesOf(user: TemplateUser, { event, run, ...shown }: Shown): string | null {
  const { context } = user;
  const readUser = (field: string): unknown => (isOwn(field) ? user[field] : user.fields[field]);
  const values = pick(shown, readUser, [TEMPLATE_ATTRIBUTES, user.customAttributes]);
  const ofEvent = context?.event ?? null;
  if (ofEvent !== null && isShown(event))
    values['event'] = pick(event, (field) => ofEvent[field as keyof TriggerEvent], [
      TEMPLATE_EVENT_ATTRIBUTES,
      ofEvent.attributes,
    ]);
  if (context !== undefined && isShown(run))
    values['run'] = pick(run, (field) => context.run[field as keyof TemplateRun], ['', {}]);
  const text = stringifyExactJson(values);
  return text.length > VALUES_CHARS_MAX ? null : text;
}

const isShown = ({ fields, attributes }: ShownFields): boolean =>
  fields.length > 0 || attributes === null || attributes.length > 0;

function pick(
  { fields, attributes }: ShownFields,
  read: (field: string) => unknown,
  [name, all]: readonly [name: string, all: Values],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = read(field);
    if (value !== undefined) values[field] = value;
  }
  if (attributes === null) values[name] = all;
  else if (attributes.length > 0)
    values[name] = Object.fromEntries(
      attributes.filter((key) => Object.hasOwn(all, key)).map((key) => [key, all[key]]),
    );
  return values;
}

/** The user as a message was filled for. */
export function filledUser(customUserId: string, { values, renderedAt }: Filling): TemplateUser {
  const {
    [TEMPLATE_ATTRIBUTES]: customAttributes = {},
    event,
    run,
    ...fields
  } = parseExactJson(values) as FilledUser;
  const { registeredAt } = fields;
  return {
    customUserId,
    registeredAt: Number(registeredAt ?? 0),
    fields,
    customAttributes,
    context: filledContext({ event, run }),
    renderedAt,
  };
}

/** What was not shown counts as absent. */
const NO_EVENT: TriggerEvent = {
  name: '',
  time: Number.NaN,
  attributes: {},
  revenue: null,
  currency: null,
};
const NO_RUN: TemplateRun = { id: '', enteredAt: Number.NaN };

function filledContext({
  event,
  run,
}: {
  readonly event: FilledUser['event'];
  readonly run: FilledUser['run'];
}): TemplateContext | undefined {
  if (event === undefined && run === undefined) return undefined;
  return {
    event: event === undefined ? null : { ...NO_EVENT, ...event },
    run: { ...NO_RUN, ...run },
  };
}

const isOwn = (field: string): field is 'customUserId' | 'registeredAt' =>
  field === 'customUserId' || field === 'registeredAt';

const WORDS_DIGITS = 32;

/** A hash of all fields of a message; of a mail's body, of its structure and of the values in it. */
export function hashWords({
  message,
  mailBody,
}: {
  readonly message: PushMessage;
  readonly mailBody?: MailBody;
}): string {
  const fields =
    mailBody === undefined ? message : ({ ...message, body: '' } satisfies PushMessage);
  const parts = [stringifyExactJson(fields)];
  if (mailBody !== undefined)
    parts.push(hashOfStructure(mailBody.message), ...mailBody.html, ...mailBody.text);
  const digits = hash('sha256', parts.join('\0')).slice(0, WORDS_DIGITS);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const structures = new WeakMap<object, string>();

/** Mails share it, and it is much longer than their values. */
function hashOfStructure(message: MailBody['message']): string {
  const known = structures.get(message) ?? hash('sha256', message.body);
  structures.set(message, known);
  return known;
}
