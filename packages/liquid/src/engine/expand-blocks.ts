import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { LiquidError, Tokenizer, TypeGuards, type TagToken, type Token } from 'liquidjs';
import { engine } from './engine.ts';
import { positionsIn } from './positions.ts';
import { TextFault } from './text-fault.ts';

/** What a block says in HTML and in plain text; null: nothing is written for it. */
export type BlockTexts = { readonly html: string | null; readonly text: string | null };
export type BlockForm = keyof BlockTexts;

/** By slug. */
export type Blocks = Readonly<Record<string, BlockTexts>>;

/** A fault of a text with blocks. Its line and column are those of the text, or of the tag of a block. */
export type LiquidFault = FieldError & {
  readonly inBlocks?: {
    readonly form: BlockForm;
    /** Null: the fault is in the text itself. */
    readonly block: {
      readonly slug: string;
      readonly line: number;
      readonly column: number;
    } | null;
  };
};

/** A text with its blocks in their places. */
export type ExpandedText = {
  readonly text: string;
  readonly form: BlockForm;
  readonly slugs: readonly string[];
  /** The fault where it was written. */
  readonly locate: (fault: FieldError) => LiquidFault;
};

/** A text of a message with its blocks in their places. */
export type ExpandedField = Pick<ExpandedText, 'text' | 'form' | 'slugs'> & {
  readonly path: readonly string[];
};

type Use = { readonly tag: TagToken; readonly slug: string; readonly block: BlockTexts };

/** A part of an expanded text: where it starts there, and where in the text or the block it is from. */
type Piece = { readonly start: number; readonly from: number; readonly use: Use | null };

const MAY_NAME_BLOCK = /\{%-?\s*block\b/;
const LONGEST = `at most ${LIMITS.templateBytesMax} bytes of text with its blocks`;
const FORMS = { html: 'a block with HTML', text: 'a block with plain text' } as const;
const SLUG = /^\s*(?:"([^"]*)"|'([^']*)')\s*$/;

/**
 * Puts the texts of blocks in the places of their tags, as if they were written there: what sends a
 * message knows no blocks. Null if the text has none.
 * @param form null: plain text, unless a block has HTML alone
 * @throws TextFault at the tag of a block that does not exist, or does not have this form
 */
export function expandBlocks(
  source: string,
  { blocks, form: asked }: { readonly blocks: Blocks; readonly form: BlockForm | null },
): ExpandedText | null {
  if (!MAY_NAME_BLOCK.test(source)) return null;
  const uses = readTags(source).map((tag) => readUse(tag, blocks));
  if (uses.length === 0) return null;
  const form = asked ?? (uses.some(({ block }) => block.text === null) ? 'html' : 'text');
  const pieces: Piece[] = [];
  let text = '';
  let end = 0;
  const add = (said: string, from: number, use: Use | null): void => {
    pieces.push({ start: text.length, from, use });
    text += said;
    // Before it is longer than a message may be: each of thousands of tags may name a long one.
    if (text.length > LIMITS.templateBytesMax) throw new TextFault('too_long', LONGEST, use?.tag);
  };
  for (const use of uses) {
    const { tag, block } = use;
    const own = source.slice(end, tag.begin);
    add(tag.trimLeft ? own.trimEnd() : own, end, null);
    const said = block[form];
    if (said === null) throw new TextFault('invalid_value', FORMS[form], tag);
    add(said, 0, use);
    end = tag.end;
    if (tag.trimRight) end = source.length - source.slice(end).trimStart().length;
  }
  add(source.slice(end), end, null);

  const locate = ({ line, column, ...fault }: FieldError): LiquidFault => {
    const unplaced = { ...fault, inBlocks: { form, block: null } };
    if (line === undefined || column === undefined) return unplaced;
    const index = startOfLine(text, line) + column - 1;
    const piece = pieces.findLast(({ start }) => start <= index);
    if (piece === undefined) return unplaced;
    const { start, from, use } = piece;
    const at = from + index - start;
    if (use === null) return { ...unplaced, ...positionsIn(source)(at) };
    const { tag, slug, block } = use;
    const place = positionsIn(block[form] ?? '')(at);
    return {
      ...fault,
      ...positionsIn(source)(tag.begin),
      inBlocks: { form, block: { slug, ...place } },
    };
  };
  return { text, form, slugs: [...new Set(uses.map(({ slug }) => slug))], locate };
}

/** Tags of blocks outside of comments. Of a text that cannot be read the parser tells. */
function readTags(source: string): TagToken[] {
  let isComment = false;
  const tags: TagToken[] = [];
  for (const token of readTokens(source)) {
    if (!TypeGuards.isTagToken(token)) continue;
    if (token.name === 'comment') isComment = true;
    else if (token.name === 'endcomment') isComment = false;
    else if (token.name === 'block' && !isComment) tags.push(token);
  }
  return tags;
}

function readTokens(source: string): readonly Token[] {
  try {
    return new Tokenizer(source, engine.options.operators).readTopLevelTokens(engine.options);
  } catch (error) {
    if (LiquidError.is(error as object)) return [];
    throw error;
  }
}

function readUse(tag: TagToken, blocks: Blocks): Use {
  const [, double, single] = SLUG.exec(tag.args) ?? [];
  const slug = double ?? single;
  if (slug === undefined)
    throw new TextFault('template_syntax', 'the name of a block in quotes', tag);
  const block = Object.hasOwn(blocks, slug) ? blocks[slug] : undefined;
  if (block === undefined) throw new TextFault('invalid_value', 'a block that exists', tag);
  return { tag, slug, block };
}

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let at = 1; at < line; at += 1) start = text.indexOf('\n', start) + 1;
  return start;
}

/** A fault as the author of the message sees it. */
export function inMessage({ inBlocks, ...fault }: LiquidFault): FieldError {
  const block = inBlocks?.block ?? null;
  if (block === null) return fault;
  const { slug, line, column } = block;
  return {
    ...fault,
    expected: `${fault.expected ?? ''}, in line ${line}, column ${column} of the block ${slug}`,
  };
}

/** People read it, too. */
const wordsOf = (pointer: string): string =>
  pointer
    .replace(/^\/variants\/(\d+)\/message\//, (_all, no) => `variant ${Number(no) + 1}, `)
    .replace(/^\/(?:message\/)?/, '');

/** A fault as the author of a block sees it. @param of where the message stands: `the template welcome` */
export function inBlock(
  { pointer, code, expected = '', line, column, inBlocks }: LiquidFault,
  slug: string,
  of: string,
): FieldError {
  const field = `/${inBlocks?.form ?? 'html'}`;
  const block = inBlocks?.block ?? null;
  if (block?.slug === slug) {
    const { slug: _slug, ...place } = block;
    return { pointer: field, code, expected: `${expected}, in ${of}`, ...place };
  }
  const place = line === undefined ? '' : `, line ${line}, column ${column}`;
  return { pointer: field, code, expected: `${expected}, in ${of}: ${wordsOf(pointer)}${place}` };
}
