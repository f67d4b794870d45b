import {
  AssignTag,
  CaptureTag,
  CaseTag,
  IfTag,
  Output,
  RawTag,
  Tag,
  isTruthy,
  toValue,
  type Context,
  type Emitter,
  type Template,
  type Token,
  type Value,
} from 'liquidjs';
import { directOperand, operate, toDirectValue } from './direct-values.ts';
import type { ParseOptions } from './parse-options.ts';
import { Parts, toText } from './parts.ts';
import type { PositionOf } from './positions.ts';
import { RenderFault } from './render-fault.ts';
import { TextFault } from './text-fault.ts';
import { renderNodes } from './render-nodes.ts';
import { flatten, localsOf, shownVariable } from './variables.ts';

/** An output of a template. */
export type TextOutput = {
  /** For faults: the variable, or the place. */
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** Its last filter made it safe for a part of a URL. */
  readonly isUrlEncoded: boolean;
};

type Node = { render: (ctx: Context, emitter: Emitter) => unknown };
type Patched = {
  readonly texts: string[];
  readonly outputs: TextOutput[];
  readonly inOrder: { readonly kind: 'text' | 'output'; readonly number: number }[];
};

/** What a template writes. */
export type PatchedNodes = {
  /** The texts between outputs and tags, by number. */
  readonly texts: readonly string[];
  /** By number. */
  readonly outputs: readonly TextOutput[];
  /** Both in the order of the source, without those of captures. */
  readonly inOrder: Patched['inOrder'];
};

/**
 * Makes nodes write texts and values apart (`Parts`), and reads values strictly. liquidjs has no
 * other way to tell what an author wrote from what a user entered. In `capture`, which writes to a
 * plain text, both are joined: a captured text is a value.
 */
export function patchNodes(
  nodes: readonly Template[],
  { kept, isAccepted, positionOf }: ParseOptions & { readonly positionOf: PositionOf },
): PatchedNodes {
  const patched: Patched = { texts: [], outputs: [], inOrder: [] };
  const locals = localsOf(nodes);
  const captured = new Set(
    flatten(nodes).flatMap((node) => (node instanceof CaptureTag ? flatten([node]).slice(1) : [])),
  );
  for (const node of flatten(nodes)) {
    const place = captured.has(node) ? { ...patched, inOrder: [] } : patched;
    if (node instanceof Output) {
      if (kept !== undefined && isKept(node.value, kept)) {
        // A captured text is a value, in which nothing is filled in.
        if (captured.has(node) && isAccepted !== true)
          throw new TextFault('unsafe_place', `${kept} outside of a capture`, node.token);
        patchText(node, `{{${kept}}}`, place);
        node.arguments = () => [];
      } else patchOutput(node, { variable: shownVariable(node.value, locals), positionOf }, place);
    } else if (node instanceof RawTag) patchText(node, String(node.render()), place);
    else if (node instanceof AssignTag) patchAssign(node);
    else if (node instanceof IfTag) patchIf(node);
    else if (node instanceof CaseTag) patchCase(node);
    else if (!(node instanceof Tag))
      patchText(node, (node as unknown as { str: string }).str, place);
  }
  return patched;
}

/** An output of this variable alone. */
function isKept({ initial, filters }: Value, name: string): boolean {
  const [token, ...others] = initial.postfix;
  return others.length === 0 && filters.length === 0 && token?.getText() === name;
}

function patchText(node: Template, text: string, { texts, inOrder }: Patched): void {
  const number = texts.push(text) - 1;
  inOrder.push({ kind: 'text', number });
  (node as Node).render = (ctx, emitter) => {
    if (emitter instanceof Parts) emitter.addText(number, text.length);
    else capture(ctx, emitter, text);
  };
}

function patchOutput(
  node: Output,
  {
    variable,
    positionOf,
  }: { readonly variable: string | undefined; readonly positionOf: PositionOf },
  { outputs, inOrder }: Patched,
): void {
  const { value } = node;
  const { line, column } = positionOf(node.token.begin);
  const name = variable ?? `the output in line ${line}, column ${column}`;
  const number =
    outputs.push({
      name,
      line,
      column,
      isUrlEncoded: value.filters.at(-1)?.name === 'url_encode',
    }) - 1;
  inOrder.push({ kind: 'output', number });
  const mayBeEmpty =
    variable === undefined ||
    value.filters.some(({ name: filter, args: [arg] }) => filter === 'default' && isLiteral(arg));
  const read = toDirectValue(value);
  (node as Node).render = (ctx, emitter) => {
    const text = toText(toValue(read(ctx, false)), name);
    if (text === '' && !mayBeEmpty) throw new RenderFault('missing_variable', `${name} is empty`);
    if (emitter instanceof Parts) emitter.addValue(text, number);
    else capture(ctx, emitter, text);
  };
}

/** A capture may be captured again: what it makes is charged, as liquidjs does for filters. */
function capture(ctx: Context, emitter: Emitter, text: string): void {
  ctx.memoryLimit.use(text.length);
  emitter.write(text);
}

/** An author who writes an empty default wants an empty text. */
const isLiteral = (arg: FilterArg | undefined): boolean =>
  typeof arg === 'object' && 'content' in arg;

/** liquidjs reads leniently here, so that a missing value would only show later, or never. */
function patchAssign(node: AssignTag): void {
  const { key, value } = node as unknown as { readonly key: string; readonly value: Value };
  const read = toDirectValue(value);
  (node as Node).render = (ctx) => {
    const scope = ctx.bottom() as Record<string, unknown>;
    scope[key] = read(ctx, false);
  };
}

type FilterArg = Value['filters'][number]['args'][number];
type Branch = { readonly value: Value; readonly templates: readonly Template[] };

/** As liquidjs does, without generators. */
function patchIf(node: IfTag): void {
  const { branches, elseTemplates = [] } = node as unknown as {
    readonly branches: readonly Branch[];
    readonly elseTemplates?: readonly Template[];
  };
  const read = branches.map(({ value }) => toDirectValue(value));
  (node as Node).render = (ctx, emitter) => {
    const hit = branches.find((_branch, index) => isTruthy(toValue(read[index]?.(ctx, true)), ctx));
    renderNodes(hit?.templates ?? elseTemplates, ctx, emitter);
  };
}

/**
 * As liquidjs does, but each comparison is an operator, which is counted: one tag may have hundreds
 * of values.
 */
function patchCase(node: CaseTag): void {
  const { value, branches, elseTemplates } = node as unknown as {
    readonly value: Value;
    readonly branches: readonly {
      readonly values: readonly Token[];
      readonly templates: readonly Template[];
    }[];
    readonly elseTemplates: readonly Template[];
  };
  const read = toDirectValue(value);
  const cases = branches.map(({ values, templates }) => ({
    values: values.map(directOperand),
    templates,
  }));
  (node as Node).render = (ctx, emitter) => {
    const target = toValue(read(ctx, true));
    let isHit = false;
    for (const { values, templates } of cases) {
      if (!values.some((of) => operate(ctx, '==', [target, of(ctx, true)]) === true)) continue;
      isHit = true;
      renderNodes(templates, ctx, emitter);
    }
    if (!isHit) renderNodes(elseTemplates, ctx, emitter);
  };
}
