import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { inlineSegments } from '@tidings/segments/segment-nesting';
import { checkContent, checkMessages } from '@tidings/templates/check-content';
import { findTemplates, parseTemplateName } from '@tidings/templates/find-templates';
import { readNamedBlocks } from '@tidings/templates/named-blocks';
import { readTemplateVersions } from '@tidings/templates/templates';
import { allMessages, mapMessages, type PlacedMessage } from '@tidings/contracts/automations/ways';

/** An automation whose messages can be sent: blocks stand in the places of their tags. */
export type CheckedSends =
  | { readonly ok: true; readonly definition: AutomationDefinition }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Checks the messages of an automation and the templates that it names. Not in a transaction: a large
 * message waits for a thread.
 */
export async function checkSends(
  sql: Sql,
  definition: AutomationDefinition,
  context: ConditionContext,
): Promise<CheckedSends> {
  const placed = allMessages(definition.nodes);
  const { trigger } = definition;
  // What the API gives stands for an event.
  const textOf = 'event' in trigger || 'api' in trigger ? 'event' : 'run';
  const errors = await checkTemplates(sql, placed, { context, textOf });
  const expanded = new Map<string, CampaignTemplate['message']>();
  for (const each of placed) {
    const own = await checkOwn(sql, each, { context, textOf });
    if ('errors' in own) errors.push(...own.errors);
    else if (own.message !== null) expanded.set(keyOf(each.node, each.messageNo), own.message);
  }
  if (errors.length > 0) return { ok: false, errors };
  const nodes = mapMessages(definition.nodes, (message, node, messageNo) => {
    const own = expanded.get(keyOf(node, messageNo));
    return own === undefined ? message : { ...message, message: own };
  });
  return { ok: true, definition: { ...definition, nodes } };
}

/** What texts of its runs may name. */
type OfRun = { readonly context: ConditionContext; readonly textOf: 'event' | 'run' };

const keyOf = (node: string, messageNo: number): string => `${node} ${messageNo}`;

async function checkTemplates(
  sql: Sql,
  placed: readonly PlacedMessage[],
  { context: { applicationId }, textOf }: OfRun,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  // One by one: each is of a campaign of its own.
  for (const { message, pointer } of placed) {
    const { channel, template } = message;
    if (template === undefined) continue;
    const name = { ...parseTemplateName(template), channel, share: 1 };
    const found = await findTemplates(sql, {
      applicationId,
      names: [{ ...name, pointer: `${pointer}/template` }],
      textOf,
    });
    if (!found.ok) errors.push(...found.errors);
  }
  return errors;
}

async function checkOwn(
  sql: Sql,
  { message: { channel, message }, pointer }: PlacedMessage,
  { context, textOf }: OfRun,
): Promise<
  | { readonly errors: readonly FieldError[] }
  | { readonly message: CampaignTemplate['message'] | null }
> {
  if (message === undefined) return { message: null };
  const submitted = { channel, message, textOf };
  const blocks = await readNamedBlocks(sql, context.applicationId, submitted);
  const checked = checkContent(
    await checkMessages(context.applicationId, submitted, blocks),
    context,
  );
  return checked.ok
    ? { message: checked.content.message }
    : {
        errors: checked.errors.map((error) => ({
          ...error,
          pointer: `${pointer}${error.pointer}`,
        })),
      };
}

/** What a message of an automation sends now. */
export type ResolvedMessage = {
  readonly templates: readonly CampaignTemplate[];
  /** Of its template; 0: a message of its own. */
  readonly templateVersion: number;
};

/**
 * What messages send now, in their order: one statement for all of an application. Null: its template
 * is gone, or of another channel.
 */
export async function resolveMessages(
  sql: Sql,
  context: ConditionContext,
  messages: readonly PlacedMessage['message'][],
): Promise<(ResolvedMessage | null)[]> {
  const templated = messages.flatMap(({ template }) => template ?? []);
  const names = templated.map((template) => parseTemplateName(template));
  const found =
    names.length === 0 ? [] : await readTemplateVersions(sql, context.applicationId, names);
  return messages.map(({ channel, template, message }) => {
    if (message !== undefined)
      return {
        templates: [{ slug: null, version: null, share: 1, message, variants: [] }],
        templateVersion: 0,
      };
    const content = found[templated.indexOf(template ?? '')] ?? null;
    if (content === null || content.channel !== channel) return null;
    const variants = content.variants.map((variant) => ({
      ...variant,
      condition: inlineSegments(variant.condition, context),
    }));
    const { slug } = parseTemplateName(template ?? '');
    const { version, message: own } = content;
    return {
      templates: [{ slug, version, share: 1, message: own, variants }],
      templateVersion: version,
    };
  });
}
