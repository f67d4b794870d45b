import type { Channel } from '@tidings/contracts/channels/channels';
import { mapChannels } from '@tidings/contracts/channels/descriptors';
import {
  FIELD_ERRORS_MAX,
  type FieldError,
  type Warning,
} from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { messageSchema, type PushMessage } from '@tidings/contracts/push/push';
import type { TemplateContent, TemplateVariant } from '@tidings/contracts/push/templates';
import { stringifyExactJson } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import { childPointer } from '@tidings/validation/child-pointer';
import { readCondition } from '@tidings/segments/read-condition';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { checkMessage } from './check-message.ts';
import type { TemplateVariable } from './liquid/variables.ts';
import type { MessageCheck } from './message-check.ts';
import { findKeyFaults } from './message-keys.ts';
import { toSample } from './sample-message.ts';

/** A variant as it came. */
export type SubmittedVariant = {
  readonly name: string;
  readonly condition: unknown;
  readonly message: unknown;
};

/** The content of a template as it came. */
export type SubmittedContent = {
  readonly channel: Channel;
  readonly message: unknown;
  readonly variants?: readonly SubmittedVariant[] | undefined;
};

export type CheckedContent =
  | {
      readonly ok: true;
      readonly content: TemplateContent;
      readonly warnings: readonly Warning[];
      /** Of all messages. */
      readonly variables: readonly TemplateVariable[];
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const validators = mapChannels((_descriptor, channel) =>
  createValidator<PushMessage>({ ...messageSchema(channel), additionalProperties: false }),
);

/** The checks of the messages of a template, its own before those of its variants. */
export type CheckedMessages = SubmittedContent & { readonly checks: readonly MessageCheck[] };

/**
 * Checks the messages of a template by their channel, and their Liquid. Not in a transaction: a large
 * one waits for a thread. After more faults than an answer has, no further message is read.
 */
export async function checkMessages(
  applicationId: string,
  submitted: SubmittedContent,
): Promise<CheckedMessages> {
  const { channel, message, variants = [] } = submitted;
  const checks: MessageCheck[] = [];
  let faults = 0;
  const messages = [message, ...variants.map((variant) => variant.message)];
  for (const [index, own] of messages.entries()) {
    if (faults > FIELD_ERRORS_MAX) break;
    const pointer = index === 0 ? '/message' : `/variants/${index - 1}/message`;
    const check = await checkOne(applicationId, { channel, message: own, pointer });
    if (!check.ok) faults += check.errors.length;
    checks.push(check);
  }
  return { ...submitted, checks };
}

/** Checks the content of a template, whose messages are checked, with the conditions of its variants. */
export function checkContent(
  { channel, message, variants = [], checks }: CheckedMessages,
  context: ConditionContext,
): CheckedContent {
  const errors: FieldError[] = [];
  const variables: TemplateVariable[] = [];
  const add = (check: MessageCheck | undefined): void => {
    if (check?.ok === true) variables.push(...check.variables);
    else errors.push(...(check?.errors ?? []));
  };
  add(checks[0]);
  const warnings: Warning[] = [];
  const checked: TemplateVariant[] = [];
  for (const [index, { name, condition, message: own }] of variants.entries()) {
    // More faults than an answer has.
    if (errors.length > FIELD_ERRORS_MAX) break;
    const pointer = `/variants/${index}`;
    const read = readCondition(condition, context, `${pointer}/condition`);
    if (read.ok) {
      warnings.push(...read.warnings);
      checked.push({ name, condition: read.condition, message: own as PushMessage });
    } else errors.push(...read.errors);
    add(checks[index + 1]);
  }
  // Writing JSON recurses, so what is too deep is found before.
  if (errors.length === 0 && isTooLong({ message, variants: checked }))
    errors.push({
      pointer: '/variants',
      code: 'too_long',
      expected: `at most ${LIMITS.templateContentBytesMax} bytes with the message`,
    });
  return errors.length > 0
    ? { ok: false, errors }
    : {
        ok: true,
        content: { channel, message: message as PushMessage, variants: checked },
        warnings,
        variables,
      };
}

const isTooLong = (content: Pick<SubmittedContent, 'message' | 'variants'>): boolean =>
  Buffer.byteLength(stringifyExactJson(content)) > LIMITS.templateContentBytesMax;

async function checkOne(
  applicationId: string,
  {
    channel,
    message,
    pointer,
  }: { readonly channel: Channel; readonly message: unknown; readonly pointer: string },
): Promise<MessageCheck> {
  const unstorable = findUnstorable(message, pointer, 1);
  if (unstorable !== null) return { ok: false, errors: [unstorable] };
  // The schema knows no bigints.
  const rounded: unknown = JSON.parse(stringifyExactJson(message));
  const shaped = validators[channel](toSample(channel, rounded));
  if (!shaped.ok)
    return {
      ok: false,
      errors: shaped.errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` })),
    };
  const tooMany = findKeyFaults(shaped.value, pointer);
  if (tooMany.length > 0) return { ok: false, errors: tooMany };
  return checkMessage(applicationId, { channel, message: message as PushMessage, pointer });
}

/** Text that Postgres cannot store, or objects within objects beyond the limit. */
function findUnstorable(value: unknown, pointer: string, level: number): FieldError | null {
  if (level > LIMITS.messageDepthMax + 1)
    return { pointer, code: 'too_deep', expected: `at most ${LIMITS.messageDepthMax} levels` };
  if (typeof value === 'string') return textFault(value, pointer);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    const fault =
      textFault(key, pointer) ?? findUnstorable(child, childPointer(pointer, key), level + 1);
    if (fault !== null) return fault;
  }
  return null;
}

function textFault(text: string, pointer: string): FieldError | null {
  if (text.includes('\0'))
    return { pointer, code: 'nul_not_allowed', expected: 'text without U+0000' };
  return text.isWellFormed()
    ? null
    : { pointer, code: 'invalid_value', expected: 'text without lone surrogates' };
}
