import type { PushMessage } from '@tidings/contracts/push/push';
import { TEMPLATE_ATTRIBUTES } from '@tidings/contracts/push/templates';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import { hash } from 'node:crypto';
import type { MailBody } from './compile-mail-body.ts';
import type { TemplateVariable } from './engine/variables.ts';
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

/** The values of a user that a message shows. Integers beyond 2^53 are bigints. */
type FilledUser = Readonly<Record<string, unknown>> & {
  readonly [TEMPLATE_ATTRIBUTES]?: Readonly<Record<string, unknown>>;
};

/** What a message shows of its users. */
export type Shown = {
  readonly fields: readonly string[];
  /** Null: any. */
  readonly attributes: readonly string[] | null;
};

/** The fields and attributes of a user that these variables name. */
export function shownBy(variables: readonly TemplateVariable[]): Shown {
  const fields = new Set<string>();
  const attributes = new Set<string>();
  let isAny = false;
  for (const { path } of variables) {
    const [root, field, key] = path;
    if (root !== 'user' || field === undefined) continue;
    if (field !== TEMPLATE_ATTRIBUTES) fields.add(field);
    // Computed: `user.customAttributes[user.city]`.
    else if (key === undefined) isAny = true;
    else attributes.add(key);
  }
  return { fields: [...fields], attributes: isAny ? null : [...attributes] };
}

/** Of what is recorded for one message: a computed name, or a list, may be of half a megabyte. */
const VALUES_CHARS_MAX = 8 * 1024;

/** JSON of the values of a user that a message shows; null: they are too long to be recorded. */
export function valuesOf(user: TemplateUser, { fields, attributes }: Shown): string | null {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = isOwn(field) ? user[field] : user.fields[field];
    if (value !== undefined) values[field] = value;
  }
  const { customAttributes: all } = user;
  if (attributes === null) values[TEMPLATE_ATTRIBUTES] = all;
  else if (attributes.length > 0)
    values[TEMPLATE_ATTRIBUTES] = Object.fromEntries(
      attributes.filter((key) => Object.hasOwn(all, key)).map((key) => [key, all[key]]),
    );
  const text = stringifyExactJson(values);
  return text.length > VALUES_CHARS_MAX ? null : text;
}

/** The user as a message was filled for. */
export function filledUser(customUserId: string, { values, renderedAt }: Filling): TemplateUser {
  const { [TEMPLATE_ATTRIBUTES]: customAttributes = {}, ...fields } = parseExactJson(
    values,
  ) as FilledUser;
  const { registeredAt } = fields;
  return {
    customUserId,
    registeredAt: Number(registeredAt ?? 0),
    fields,
    customAttributes,
    renderedAt,
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
