import { LiquidError, Parser, Tokenizer, TypeGuards, type Template, type Token } from 'liquidjs';
import { checkExpressions, checkNumbers, checkZones } from './check-expressions.ts';
import { engine } from './engine.ts';
import { TEXT_LIMITS } from './limits.ts';
import type { ParseOptions } from './parse-options.ts';
import { findReserved } from './parts.ts';
import { patchNodes, type PatchedNodes } from './patch-nodes.ts';
import { patchRanges } from './patch-ranges.ts';
import { positionsIn } from './positions.ts';
import { TextFault } from './text-fault.ts';
import { hiddenVariables, listVariables, type TemplateVariable } from './variables.ts';

/** A text, parsed. Rendering it changes nothing here. */
export type ParsedText = PatchedNodes & {
  readonly nodes: Template[];
  readonly variables: readonly TemplateVariable[];
  /** Variables that it does not see: it has values of its own with their names. */
  readonly hidden: readonly string[];
  readonly size: ParsedSize;
};

/** Outputs and tags, and about how much memory the parsed text takes. */
export type ParsedSize = { readonly tokens: number; readonly bytes: number };

const BLOCKS = new Set(['capture', 'case', 'comment', 'for', 'if', 'raw', 'unless']);
const DELIMITERS = /\{\{|\{%/;

/** Whether a text holds an output or a tag. */
export const isTemplateText = (text: string): boolean => DELIMITERS.test(text);

/**
 * Parses Liquid.
 * @throws TextFault with line and column
 */
export function parseText(source: string, options: ParseOptions = {}): ParsedText {
  const positionOf = positionsIn(source);
  const reserved = findReserved(source);
  if (reserved >= 0)
    throw new TextFault('invalid_value', 'text without U+0000, U+FDD0 and U+FDD1', {
      getPosition: () => {
        const { line, column } = positionOf(reserved);
        return [line, column];
      },
    });
  try {
    const tokens = new Tokenizer(source, engine.options.operators).readTopLevelTokens(
      engine.options,
    );
    checkTokens(tokens);
    const size = sizeOf(tokens);
    if (options.isAccepted !== true) checkExpressions(tokens, positionOf);
    const nodes = new Parser(engine).parseTokens(tokens);
    if (options.isAccepted !== true) {
      checkNumbers(nodes);
      checkZones(nodes);
    }
    const patched = patchNodes(nodes, { ...options, positionOf });
    const variables = listVariables(nodes, options.textOf);
    const hidden = hiddenVariables(nodes);
    patchRanges(nodes);
    return { ...patched, nodes, variables, hidden, size };
  } catch (error) {
    throw toFault(error);
  }
}

function checkTokens(tokens: readonly Token[]): void {
  const first = tokens.find((token) => !TypeGuards.isHTMLToken(token));
  if (tokens.length > TEXT_LIMITS.tokensMax)
    throw new TextFault('too_many', `at most ${TEXT_LIMITS.tokensMax} outputs and tags`, first);
  let depth = 0;
  let isComment = false;
  for (const token of tokens) {
    if (TypeGuards.isHTMLToken(token)) continue;
    if (token.size() > TEXT_LIMITS.tokenCharsMax)
      throw new TextFault(
        'too_long',
        `an output or tag of at most ${TEXT_LIMITS.tokenCharsMax} characters`,
        token,
      );
    checkFilters(token, isComment);
    if (!TypeGuards.isTagToken(token)) continue;
    if (token.name === 'comment') isComment = true;
    else if (token.name === 'endcomment') isComment = false;
    if (BLOCKS.has(token.name)) depth += 1;
    else if (token.name.startsWith('end')) depth -= 1;
    if (depth > TEXT_LIMITS.depthMax)
      throw new TextFault(
        'too_deep',
        `at most ${TEXT_LIMITS.depthMax} blocks within each other`,
        token,
      );
  }
}

const ENDS_WITH_BAR = /\|\s*-?[}%]\}$/;

/** liquidjs takes a bar before the end for no filter at all. */
function checkFilters(token: Token, isComment: boolean): void {
  if (isComment || (TypeGuards.isTagToken(token) && token.name === '#')) return;
  if (ENDS_WITH_BAR.test(token.getText()))
    throw new TextFault('template_syntax', FILTER_NAME, token);
}

const FILTER_NAME = 'the name of a filter after the bar';

/** Measured: parsed, outputs and tags take 80 to 240 times their text. */
const BYTES_PER_TOKEN = 1_000;
const BYTES_PER_TOKEN_CHAR = 100;

function sizeOf(all: readonly Token[]): ParsedSize {
  const tokens = all.filter((token) => !TypeGuards.isHTMLToken(token));
  return {
    tokens: tokens.length,
    bytes: all.reduce(
      (bytes, token) =>
        bytes +
        (TypeGuards.isHTMLToken(token)
          ? token.size()
          : BYTES_PER_TOKEN + BYTES_PER_TOKEN_CHAR * token.size()),
      0,
    ),
  };
}

/** The messages of liquidjs name what the template says, so each becomes a text of our own. */
const EXPECTED: readonly (readonly [RegExp, string])[] = [
  [/^undefined filter/, 'a filter that exists'],
  [/^expected filter name/, FILTER_NAME],
  [/^tag "?block"? not found/, 'a block in the text of a template alone'],
  [/^tag "?\S*"? not found/, 'a tag that exists, in its place'],
  [/not closed/, 'an end of this tag or output'],
  [/^expected variable name|^invalid capture name/, 'the name of a variable'],
  [/^expected "="/, 'an equals sign'],
  [/^illegal tag/, 'a tag with its arguments'],
  [/^unexpected/, 'no text here'],
];

function toFault(error: unknown): unknown {
  if (error instanceof TextFault || !LiquidError.is(error)) return error;
  const { token, originalError } = error as LiquidError & { readonly originalError?: Error };
  if (originalError instanceof TextFault) return originalError;
  const message = originalError?.message ?? error.message;
  const [, block] = /^tag {%-? *(\w+).*%} not closed/s.exec(message) ?? [];
  const expected =
    block === undefined
      ? (EXPECTED.find(([pattern]) => pattern.test(message))?.[1] ?? 'valid Liquid')
      : `{% end${block} %} after this tag`;
  return new TextFault('template_syntax', expected, token);
}
