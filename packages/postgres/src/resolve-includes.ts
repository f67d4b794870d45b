import type { SqlBlock } from './sql-files.ts';

/** Finds a part by its name, in the folder of the text that includes it or in another package. */
export type PartFinder = (name: string) => { part: SqlBlock; find: PartFinder };

const INCLUDE = /^(.*?)-- include: ([\w/-]+)(?:\((.*)\))?( as \w+)?(,?)$/;
/** Strings, comments and names of parts stay as they are. The last alternative is a name. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|-- include: [\w/-]+|--.*|[A-Za-z_]\w*/g;
/** More than any part needs: a part that includes itself would not end. */
const DEPTH_MAX = 10;

/**
 * SQL with the parts that it includes, complete: psql takes it as it is. An include is the end of a
 * line, and may be followed by an alias and a comma.
 */
export function resolveIncludes(text: string, find: PartFinder, depth = 0): string {
  if (!text.includes('-- include:')) return text;
  if (depth > DEPTH_MAX) throw new Error(`a part includes itself: ${text.slice(0, 80)}`);
  return text
    .split('\n')
    .map((line) => {
      const [, before, name, args, alias = '', comma = ''] = INCLUDE.exec(line) ?? [];
      if (before === undefined || name === undefined) {
        if (line.includes('-- include:')) throw new Error(`not an include: ${line.trim()}`);
        return line;
      }
      const { part, find: findNext } = find(name);
      const body = resolveIncludes(bind(part, splitArguments(args ?? '')), findNext, depth + 1);
      return insert(before, `${body.trimEnd()}${alias}${comma}`);
    })
    .join('\n');
}

/** The text of a part with arguments in the place of its parameters. */
export function bind(part: SqlBlock, args: readonly string[]): string {
  if (args.length !== part.parameters.length)
    throw new Error(
      `the part ${part.name} has ${part.parameters.length} parameters, not ${args.length}`,
    );
  return part.text.replaceAll(TOKENS, (token) => {
    const at = part.parameters.indexOf(token);
    return args[at] ?? token;
  });
}

/** `a, coalesce(b, c)` are two arguments. */
function splitArguments(text: string): string[] {
  const args: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    const char = text[at];
    if (char === '(' || char === '[') depth++;
    if (char === ')' || char === ']') depth--;
    if (at < text.length && (char !== ',' || depth > 0)) continue;
    const arg = text.slice(from, at).trim();
    if (arg !== '') args.push(arg);
    from = at + 1;
  }
  return args;
}

/** Several lines begin a line of their own, as deep as the line that includes them. */
function insert(before: string, body: string): string {
  const lines = body.split('\n');
  if (lines.length === 1) return before + body;
  const indent = /^ */.exec(before)?.[0] ?? '';
  if (before.trim() === '') return lines.map((line) => indent + line).join('\n');
  return [before.trimEnd(), ...lines.map((line) => `${indent}  ${line}`)].join('\n');
}
