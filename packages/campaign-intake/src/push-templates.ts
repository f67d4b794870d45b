import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage, PushRequest } from '@tidings/contracts/push/push';
import type { PushTemplateFields } from '@tidings/contracts/push/push-templates';
import { unsubscribeFaults } from '@tidings/mail-body/placeholders';
import { checkMessage } from '@tidings/templates/check-message';
import { parseTemplateName, type NamedTemplate } from '@tidings/templates/find-templates';
import { toSample } from '@tidings/templates/sample-message';
import { isChannel, isObject, type Fields } from './known-message.ts';

/** Valid for every channel. */
const SAMPLE_MESSAGE = { body: 'x' };

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const namesTemplates = ({ template, split }: Fields): boolean =>
  isGiven(template) || isGiven(split);

/**
 * The push with a message that the schema of the channel may check: a template's own was checked
 * when it was saved, and what Liquid becomes is only known when it is rendered.
 */
export function withSampleMessage(push: Fields): Fields {
  const { channel, message } = push;
  if (namesTemplates(push)) return { ...push, message: message ?? SAMPLE_MESSAGE };
  return push['personalize'] === true && isChannel(channel)
    ? { ...push, message: toSample(channel, message) }
    : push;
}

/** A push names exactly one thing to send, and each template of a split once. */
export function namingFaults(push: Fields): readonly FieldError[] {
  const given = ['message', 'template', 'split'].filter((field) => isGiven(push[field]));
  if (given.length > 1)
    return [
      {
        pointer: `/${given.at(-1)}`,
        code: 'exactly_one_of',
        expected: 'either message, template or split',
      },
    ];
  const repeated = findRepeated(push['split']);
  return repeated === null
    ? []
    : [
        {
          pointer: `/split/${repeated}/template`,
          code: 'invalid_value',
          expected: 'a template, or a version of one, that is not in the split yet',
        },
      ];
}

/** Faults of `{{unsubscribeUrl}}` in a message that is sent as it is written. */
export function plainFaults({
  channel,
  message,
  personalize,
  ...push
}: Fields): readonly FieldError[] {
  if (personalize === true || !isChannel(channel) || !isObject(message) || namesTemplates(push))
    return [];
  return unsubscribeFaults(channel, message as PushMessage);
}

/**
 * Faults of the Liquid in the message of a personalised push. What has been refused already is not
 * compiled: it may be of any size, and a pointer has one fault.
 */
export async function liquidFaults(
  applicationId: string,
  { channel, message, personalize, ...push }: Fields,
  refused: { has(pointer: string): boolean },
): Promise<readonly FieldError[]> {
  if (personalize !== true || !isChannel(channel) || !isObject(message) || namesTemplates(push))
    return [];
  const accepted = acceptedPart(message, '/message', (pointer) => !refused.has(pointer));
  const check = await checkMessage(applicationId, {
    channel,
    message: accepted as PushMessage,
    pointer: '/message',
    textOf: 'push',
  });
  return check.ok ? [] : check.errors;
}

/** The message without the fields, items and fields of items that are refused. */
function acceptedPart(
  message: Fields,
  pointer: string,
  isAccepted: (pointer: string) => boolean,
): Fields {
  const fields = Object.entries(message).filter(([field]) => isAccepted(`${pointer}/${field}`));
  return Object.fromEntries(
    fields.map(([field, value]) => [
      field,
      Array.isArray(value)
        ? value.map((item: unknown, index) => {
            const place = `${pointer}/${field}/${index}`;
            return isObject(item) && isAccepted(place)
              ? acceptedPart(item, place, isAccepted)
              : null;
          })
        : value,
    ]),
  );
}

/** The place of a template that an earlier share has, too. A list above its limit is not compared. */
function findRepeated(split: unknown): number | null {
  if (!Array.isArray(split) || split.length > LIMITS.splitTemplatesMax) return null;
  const names = split.map((share: unknown) => (isObject(share) ? share['template'] : undefined));
  const place = names.findIndex(
    (name, index) => typeof name === 'string' && names.indexOf(name) < index,
  );
  return place === -1 ? null : place;
}

/** The templates that a valid push names; null: it has a message. */
export function readTemplateNames({
  channel,
  template,
  split,
}: Pick<PushRequest, 'channel' | keyof PushTemplateFields>): readonly NamedTemplate[] | null {
  if (typeof template === 'string')
    return [{ ...parseTemplateName(template), channel, share: 1, pointer: '/template' }];
  return (
    split?.map(({ template: name, share }, index) => ({
      ...parseTemplateName(name),
      channel,
      share,
      pointer: `/split/${index}/template`,
    })) ?? null
  );
}
