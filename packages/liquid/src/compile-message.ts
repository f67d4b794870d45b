import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { FieldSchema } from '@tidings/contracts/channels/message-schema';
import type { TemplatedKind } from '@tidings/contracts/channels/templated-fields';
import { FIELD_ERRORS_MAX, type FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage } from '@tidings/contracts/push/push';
import { isHtmlMessage, type MailMessage } from '@tidings/mail-body/is-html';
import { childPointer } from '@tidings/validation/child-pointer';
import { compileMailBody, joinMailBody, type MailBody } from './compile-mail-body.ts';
import { compileText, type CompiledText, type TextKind } from './compile-text.ts';
import { rulesOf, type FieldRules } from './field-rules.ts';
import type { Filling } from './filling.ts';
import {
  expandBlocks,
  type BlockForm,
  type Blocks,
  type ExpandedField,
  type LiquidFault,
} from './engine/expand-blocks.ts';
import { TEXT_LIMITS } from './engine/limits.ts';
import type { ParseOptions } from './engine/parse-options.ts';
import type { Scope } from './engine/render-context.ts';
import { TextFault } from './engine/text-fault.ts';
import { mergeVariables, type TemplateVariable } from './engine/variables.ts';
import type { MessageToCheck } from './message-check.ts';
import { replaceIn } from './replace-in.ts';

/** A message of a channel whose fields are templates. */
export type CompiledMessage = {
  readonly channel: Channel;
  readonly variables: readonly TemplateVariable[];
  /** Texts with their blocks in their places. */
  readonly expanded: readonly ExpandedField[];
  /** About how much memory it takes. */
  readonly bytes: number;
  /** The message for one user. @throws RenderFault */
  readonly render: (scope: Scope) => PushMessage;
  /** The message for one user, with a mail's body apart. @throws RenderFault */
  readonly renderToSend: (scope: Scope) => MessageToSend;
};

export type MessageToSend = {
  readonly message: PushMessage;
  readonly mailBody?: MailBody;
  /** What was filled in, of a message that a campaign renders. */
  readonly filling?: Filling;
};

export type CompileResult =
  | { readonly ok: true; readonly compiled: CompiledMessage }
  | { readonly ok: false; readonly errors: readonly LiquidFault[] };

/** Texts of one message. Objects may hold many. */
const TEXTS_MAX = 500;
/** Fields within fields: as many as a message may have. */
const LEVELS_MAX = LIMITS.messageDepthMax;

/**
 * Compiles the message of a template or of a personalised push. What is not as the channel's schema
 * wants it is left out: the schema reports it. However large the message is, the work ends at the
 * first exceeded limit of a message, and at the first fault beyond those of an answer.
 */
export function compileMessage({
  channel,
  message,
  pointer,
  blocks = null,
  textOf = 'event',
}: MessageToCheck): CompileResult {
  const found = new Collector(message, { pointer, options: { textOf }, blocks });
  return compile(channel, message, found);
}

/**
 * Compiles a message that was accepted, perhaps by a version that refused less: what a check of this
 * version alone refuses is rendered as before. Null: it does not compile.
 */
export function compileAccepted(channel: Channel, message: PushMessage): CompiledMessage | null {
  const found = new Collector(message, {
    pointer: '',
    options: { isAccepted: true },
    blocks: null,
  });
  const result = compile(channel, message, found);
  return result.ok ? result.compiled : null;
}

function compile(channel: Channel, message: PushMessage, found: Collector): CompileResult {
  const { templated, message: schema } = CHANNEL_DESCRIPTORS[channel];
  for (const [field, kind] of Object.entries(templated)) {
    if (found.isFull) break;
    const value = message[field];
    const place = { path: [field], schema: schema.properties[field] ?? {} };
    if (typeof kind === 'string') found.addValue(value, kind, place);
    else found.addItems(value, kind, place);
  }
  return found.finish(channel);
}

type Place = { readonly path: readonly string[]; readonly schema: FieldSchema };
type Replacement = {
  readonly path: readonly string[];
  readonly render: (scope: Scope) => unknown;
};

const noRules: FieldRules = () => undefined;

/** Collects the templates of a message, and the faults of all of them. */
class Collector {
  private readonly message: PushMessage;
  private readonly pointer: string;
  private readonly options: ParseOptions;
  private readonly blocks: Blocks | null;
  private readonly errors: LiquidFault[] = [];
  private readonly expanded: ExpandedField[] = [];
  private readonly variables: TemplateVariable[] = [];
  private readonly replacements: Replacement[] = [];
  private mailBody: CompiledText<MailBody> | null = null;
  private bytes = 0;
  private texts = 0;
  private tokens = 0;
  private parsedBytes = 0;
  private isOverLimit = false;

  constructor(
    message: PushMessage,
    {
      pointer,
      options,
      blocks,
    }: {
      readonly pointer: string;
      readonly options: ParseOptions;
      readonly blocks: Blocks | null;
    },
  ) {
    this.message = message;
    this.pointer = pointer;
    this.options = options;
    this.blocks = blocks;
  }

  /** No further text is read. */
  get isFull(): boolean {
    return this.isOverLimit || this.errors.length > FIELD_ERRORS_MAX;
  }

  addValue(value: unknown, kind: TemplatedKind, place: Place): void {
    if (typeof value === 'string') this.addText(value, kind, place);
    else if (kind === 'values' && isObjectOrList(value) && place.path.length < LEVELS_MAX)
      for (const key in value) {
        if (this.isFull) return;
        // Keys stay: a value never adds or renames a field.
        this.addValue(value[key], kind, { path: [...place.path, key], schema: {} });
      }
  }

  addItems(items: unknown, kinds: Readonly<Record<string, TemplatedKind>>, place: Place): void {
    const { properties = {} } = (place.schema['items'] ?? {}) as {
      readonly properties?: Readonly<Record<string, FieldSchema>>;
    };
    for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
      if (this.isFull) return;
      if (!isObjectOrList(item)) continue;
      for (const [field, kind] of Object.entries(kinds))
        this.addValue(item[field], kind, {
          path: [...place.path, String(index), field],
          schema: properties[field] ?? {},
        });
    }
  }

  finish(channel: Channel): CompileResult {
    const { message, errors, replacements, mailBody } = this;
    if (errors.length > 0) return { ok: false, errors };
    // The same for all mails, as it is composed once.
    const body = typeof message.body === 'string' ? message.body : '';
    const plainBody: MailBody = {
      message: { body, format: message['format'] },
      html: [],
      text: [],
    };
    const renderFields = (scope: Scope): PushMessage => {
      if (replacements.length === 0) return message;
      const rendered = { ...message } as Record<string, unknown>;
      for (const { path, render } of replacements) replaceIn(rendered, path, render(scope));
      return rendered as PushMessage;
    };
    return {
      ok: true,
      compiled: {
        channel,
        variables: mergeVariables(this.variables),
        expanded: this.expanded,
        bytes: this.bytes + this.parsedBytes,
        render: (scope) =>
          mailBody === null
            ? renderFields(scope)
            : { ...renderFields(scope), body: joinMailBody(mailBody.render(scope)) },
        renderToSend: (scope) => ({
          message: renderFields(scope),
          ...(channel === 'EMAIL' && { mailBody: mailBody?.render(scope) ?? plainBody }),
        }),
      },
    };
  }

  private addText(written: string, kind: TemplatedKind, { path, schema }: Place): void {
    const pointer = path.reduce(childPointer, this.pointer);
    this.texts += 1;
    const { blocks } = this;
    const form = blocks === null ? null : this.formOf(written, kind);
    let locate = (fault: FieldError): LiquidFault =>
      blocks === null ? fault : { ...fault, inBlocks: { form: form ?? 'text', block: null } };
    try {
      this.countBytes(Buffer.byteLength(written));
      const expanded = blocks === null ? null : expandBlocks(written, { blocks, form });
      const source = expanded?.text ?? written;
      if (expanded !== null) {
        ({ locate } = expanded);
        this.countBytes(Buffer.byteLength(source) - Buffer.byteLength(written));
        const { text, slugs } = expanded;
        this.expanded.push({ path, text, form: expanded.form, slugs });
      }
      if (this.texts > TEXTS_MAX) throw this.overLimit('too_many', `at most ${TEXTS_MAX} texts`);
      if (kind === 'mail') {
        const { format } = this.message as Pick<MailMessage, 'format'>;
        this.mailBody = compileMailBody(source, { format, ...this.options });
        if (this.mailBody !== null) this.count(this.mailBody);
        return;
      }
      const textKind: TextKind = kind === 'values' ? 'text' : kind;
      const rules =
        kind === 'values' && path.length > 1 ? noRules : rulesOf(path.join('/'), schema);
      const compiled = compileText(source, textKind, { checkRules: rules, ...this.options });
      if (compiled === null) return;
      this.count(compiled);
      this.replacements.push({ path, render: compiled.render });
    } catch (error) {
      if (!(error instanceof TextFault)) throw error;
      this.errors.push(locate(error.at(pointer)));
    }
  }

  /** The form of the blocks of a text; null: they decide, as a mail has neither tags nor a format. */
  private formOf(body: string, kind: TemplatedKind): BlockForm | null {
    const { format } = this.message as { readonly format?: unknown };
    if (kind === 'html' || (kind === 'mail' && isHtmlMessage({ body, format }))) return 'html';
    return kind === 'mail' && format !== 'text' ? null : 'text';
  }

  private countBytes(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > LIMITS.templateBytesMax)
      throw this.overLimit('too_long', `at most ${LIMITS.templateBytesMax} bytes of text`);
  }

  private count({ variables, size }: Pick<CompiledText, 'variables' | 'size'>): void {
    this.variables.push(...variables);
    this.parsedBytes += size.bytes;
    this.tokens += size.tokens;
    if (this.tokens > TEXT_LIMITS.tokensMax)
      throw this.overLimit(
        'too_many',
        `at most ${TEXT_LIMITS.tokensMax} outputs and tags in a message`,
      );
  }

  /** The fault of the text that exceeds a limit of the whole message. Further ones would repeat it. */
  private overLimit(code: 'too_long' | 'too_many', expected: string): TextFault {
    this.isOverLimit = true;
    return new TextFault(code, expected);
  }
}

const isObjectOrList = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
