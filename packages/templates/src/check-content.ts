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
import { inMessage, type BlockForm, type LiquidFault } from '@tidings/liquid/expand-blocks';
import type { TextOf } from '@tidings/liquid/parse-options';
import type { TemplateVariable } from '@tidings/liquid/variables';
import type { MessageCheck, MessageToCheck } from '@tidings/liquid/message-check';
import { findKeyFaults } from './message-keys.ts';
import type { NamedBlocks } from './named-blocks.ts';
import { replaceIn } from '@tidings/liquid/replace-in';
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
  /** Whose texts they are. Default: a template's, which may name all. */
  readonly textOf?: TextOf;
};

export type CheckedContent =
  | {
      readonly ok: true;
      /** What is sent: with its blocks in their places. */
      readonly content: TemplateContent;
      /** What was written; null: it names no block. */
      readonly source: TemplateContent | null;
      readonly warnings: readonly Warning[];
      /** Of all messages. */
      readonly variables: readonly TemplateVariable[];
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const validators = mapChannels((_descriptor, channel) =>
  createValidator<PushMessage>({ ...messageSchema(channel), additionalProperties: false }),
);

/** The checks of the messages of a template, its own before those of its variants. */
export type CheckedMessages = SubmittedContent & {
  readonly checks: readonly MessageCheck[];
  /** The versions of the blocks that they name. */
  readonly blocks: Readonly<Record<string, number>>;
};

/**
 * Checks the messages of a template by their channel, and their Liquid. Not in a transaction: a large
 * one waits for a thread. After more faults than an answer has, no further message is read.
 */
export async function checkMessages(
  applicationId: string,
  submitted: SubmittedContent,
  blocks: NamedBlocks,
): Promise<CheckedMessages> {
  const { channel, message, variants = [], textOf = 'event' } = submitted;
  const checks: MessageCheck[] = [];
  let faults = 0;
  const messages = [message, ...variants.map((variant) => variant.message)];
  for (const [index, own] of messages.entries()) {
    if (faults > FIELD_ERRORS_MAX) break;
    const pointer = index === 0 ? '/message' : `/variants/${index - 1}/message`;
    const check = await checkWhole(applicationId, {
      channel,
      message: own,
      pointer,
      blocks,
      textOf,
    });
    if (!check.ok) faults += check.errors.length;
    checks.push(check);
  }
  const used = checks.flatMap((check) =>
    check.ok ? check.expanded.flatMap(({ slugs }) => slugs) : [],
  );
  return {
    ...submitted,
    checks,
    blocks: Object.fromEntries(
      [...new Set(used)].toSorted().map((slug) => [slug, blocks[slug]?.version ?? 0]),
    ),
  };
}

/** Checks the content of a template, whose messages are checked, with the conditions of its variants. */
export function checkContent(
  { channel, message, variants = [], checks, blocks }: CheckedMessages,
  context: ConditionContext,
): CheckedContent {
  const errors: FieldError[] = [];
  const variables: TemplateVariable[] = [];
  const add = (check: MessageCheck | undefined): void => {
    if (check?.ok === true) variables.push(...check.variables);
    else errors.push(...(check?.errors ?? []).map(inMessage));
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
  if (errors.length > 0) return { ok: false, errors };
  const source = { channel, message: message as PushMessage, variants: checked };
  const content = expandContent(source, checks);
  if (isTooLong(source) || isTooLong(content)) return { ok: false, errors: [TOO_LONG] };
  const isExpanded = Object.keys(blocks).length > 0;
  return { ok: true, content, source: isExpanded ? source : null, warnings, variables };
}

export const TOO_LONG: FieldError = {
  pointer: '/variants',
  code: 'too_long',
  expected: `at most ${LIMITS.templateContentBytesMax} bytes with the message`,
};

export const isTooLong = (content: TemplateContent): boolean =>
  Buffer.byteLength(stringifyExactJson(content)) > LIMITS.templateContentBytesMax;

/** A content with the blocks of its messages in their places. */
export function expandContent(
  { channel, message, variants }: TemplateContent,
  checks: readonly MessageCheck[],
): TemplateContent {
  return {
    channel,
    message: expandMessage(message, checks[0]),
    variants: variants.map((variant, index) => ({
      ...variant,
      message: expandMessage(variant.message, checks[index + 1]),
    })),
  };
}

function expandMessage<Message>(message: Message, check: MessageCheck | undefined): Message {
  if (check?.ok !== true || check.expanded.length === 0) return message;
  const expanded = { ...message } as Record<string, unknown>;
  for (const { path, text } of check.expanded) replaceIn(expanded, path, text);
  return expanded as Message;
}

type WholeMessage = Omit<MessageToCheck, 'message'> & { readonly message: unknown };

/** Checks a message as it came: its shape by its channel, and its Liquid. */
async function checkWhole(
  applicationId: string,
  { channel, message, pointer, ...rest }: WholeMessage,
): Promise<MessageCheck> {
  const unstorable = findUnstorable(message, pointer, 1);
  if (unstorable !== null) return { ok: false, errors: [unstorable] };
  const misshapen = findShapeFaults(channel, message, pointer);
  if (misshapen.length > 0) return { ok: false, errors: misshapen };
  const tooMany = findKeyFaults(message as object, pointer);
  if (tooMany.length > 0) return { ok: false, errors: tooMany };
  const check = await checkMessage(applicationId, {
    channel,
    message: message as PushMessage,
    pointer,
    ...rest,
  });
  if (!check.ok || check.expanded.length === 0) return check;
  // A text of blocks alone may hold no Liquid any more, so that its schema decides.
  const faults = findShapeFaults(channel, expandMessage(message, check), pointer);
  if (faults.length === 0) return check;
  const formOf = (place: string): BlockForm | undefined =>
    check.expanded.find(({ path }) => path.reduce(childPointer, pointer) === place)?.form;
  return {
    ok: false,
    errors: faults.map((fault): LiquidFault => {
      const form = formOf(fault.pointer);
      return form === undefined ? fault : { ...fault, inBlocks: { form, block: null } };
    }),
  };
}

function findShapeFaults(channel: Channel, message: unknown, pointer: string): FieldError[] {
  // The schema knows no bigints.
  const rounded: unknown = JSON.parse(stringifyExactJson(message));
  const shaped = validators[channel](toSample(channel, rounded));
  return shaped.ok
    ? []
    : shaped.errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` }));
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
