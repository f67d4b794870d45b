import { isTimeZone } from '@tidings/contracts/time-zones';
import { Tokenizer, TypeGuards, Value, type TagToken, type Template, type Token } from 'liquidjs';
import { engine } from './engine.ts';
import type { PositionOf } from './positions.ts';
import { TextFault } from './text-fault.ts';
import { flatten, listTokens } from './variables.ts';

/** Tags that have nothing but their name, as those have that end a block. */
const BARE = /^(?:else|break|continue|end\w+)$/;
/** Tags that have one value. Of a tag that does not exist the parser tells. */
const WITH_VALUE = new Set(['if', 'elsif', 'unless', 'case']);
const FOR_ARGUMENTS = new Set(['limit', 'offset', 'reversed']);

/**
 * Whether each output and tag is read to its end. liquidjs drops what follows a value:
 * `{{ user.firstName user.lastName }}` would be the first name alone.
 * @throws TextFault at what is left
 */
export function checkExpressions(tokens: readonly Token[], positionOf: PositionOf): void {
  let isComment = false;
  for (const token of tokens) {
    if (TypeGuards.isTagToken(token)) {
      if (token.name === 'endcomment') isComment = false;
      if (!isComment) checkTag(token, positionOf);
      if (token.name === 'comment') isComment = true;
    } else if (!isComment && TypeGuards.isOutputToken(token)) {
      const reader = readerOf(token);
      readValue(reader, positionOf);
      expectEnd(reader, positionOf);
    }
  }
}

type Delimited = Token & { readonly contentRange: [number, number] };

const readerOf = (token: Token): Tokenizer =>
  new Tokenizer(
    token.input,
    engine.options.operators,
    undefined,
    (token as Delimited).contentRange,
  );

function checkTag(token: TagToken, positionOf: PositionOf): void {
  const { name } = token;
  const reader = readerOf(token);
  reader.readTagName();
  reader.skipBlank();
  if (name === 'assign') {
    reader.readIdentifier();
    reader.skipBlank();
    reader.advance();
    readValue(reader, positionOf);
  } else if (name === 'for') readFor(reader, positionOf);
  else if (name === 'when') readWhen(reader);
  else if (name === 'cycle') readCycle(reader, positionOf);
  else if (name === 'capture') {
    if (reader.readIdentifier().content === '') reader.readQuoted();
  } else if (WITH_VALUE.has(name)) readValue(reader, positionOf);
  else if (!BARE.test(name)) return;
  expectEnd(reader, positionOf);
}

/** Operands with operators between them, and filters. liquidjs takes one of two operands that follow each other. */
function readValue(reader: Tokenizer, positionOf: PositionOf): void {
  let isOpen = true;
  for (const token of reader.readExpressionTokens()) {
    const isOperator = TypeGuards.isOperatorToken(token);
    // `not` stands before its operand.
    if (isOperator && token.operator === 'not' && isOpen) continue;
    if (isOperator === isOpen)
      throw isOpen
        ? new TextFault('template_syntax', 'a value', at(token.begin, positionOf))
        : leftover(token.begin, positionOf);
    isOpen = isOperator;
  }
  if (isOpen) throw new TextFault('template_syntax', 'a value', at(reader.p, positionOf));
  reader.skipBlank();
  if (reader.peek() === '|') reader.readFilters();
}

function readFor(reader: Tokenizer, positionOf: PositionOf): void {
  reader.readIdentifier();
  reader.readIdentifier();
  reader.readValue();
  for (const { name } of reader.readHashes())
    if (!FOR_ARGUMENTS.has(name.content))
      throw new TextFault(
        'template_syntax',
        'limit, offset or reversed',
        at(name.begin, positionOf),
      );
}

/** Values with commas, or `or`, between them. */
function readWhen(reader: Tokenizer): void {
  for (;;) {
    reader.readValueOrThrow();
    reader.skipBlank();
    if (reader.peek() === ',') reader.advance();
    else if (/^or\s/.test(reader.remaining())) reader.advance(2);
    else return;
  }
}

function readCycle(reader: Tokenizer, positionOf: PositionOf): void {
  for (;;) {
    readValue(reader, positionOf);
    reader.skipBlank();
    // A colon after the first: it names the cycle.
    if (reader.peek() !== ',' && reader.peek() !== ':') return;
    reader.advance();
  }
}

function expectEnd(reader: Tokenizer, positionOf: PositionOf): void {
  reader.skipBlank();
  if (!reader.end()) throw leftover(reader.p, positionOf);
}

const leftover = (index: number, positionOf: PositionOf): TextFault =>
  new TextFault(
    'template_syntax',
    'the end of this output or tag, an operator or a filter',
    at(index, positionOf),
  );

const at = (index: number, positionOf: PositionOf): Pick<Token, 'getPosition'> => ({
  getPosition: () => {
    const { line, column } = positionOf(index);
    return [line, column];
  },
});

/**
 * Whether the numbers of a template are what they say: liquidjs reads them as doubles.
 * @throws TextFault
 */
export function checkNumbers(nodes: readonly Template[]): void {
  for (const token of flatten(nodes).flatMap(listTokens))
    if (TypeGuards.isNumberToken(token) && Math.abs(token.content) > Number.MAX_SAFE_INTEGER)
      throw new TextFault(
        'template_syntax',
        `a number of at most ${Number.MAX_SAFE_INTEGER}`,
        token,
      );
}

/** The other zones that `date` takes. */
const OFFSET = /^[+-](?:[01]\d|2[0-3]):?[0-5]\d$/;

/**
 * Whether zones exist that `date` names: one that does not would fail each message.
 * @throws TextFault
 */
export function checkZones(nodes: readonly Template[]): void {
  for (const { name, args } of flatten(nodes).flatMap(filtersOf)) {
    const [, zone] = args;
    if (name !== 'date' || zone === undefined || Array.isArray(zone)) continue;
    const text = 'content' in zone ? (zone as { readonly content: unknown }).content : undefined;
    if (typeof text === 'string' && !isTimeZone(text) && !OFFSET.test(text))
      throw new TextFault('template_syntax', 'an IANA time zone, as Europe/Berlin', zone);
  }
}

const filtersOf = (node: Template): Value['filters'] =>
  [...(node.arguments?.() ?? [])].flatMap((argument) =>
    argument instanceof Value ? argument.filters : [],
  );
