import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A statement, or a part that statements include, as its file has it. */
export type SqlBlock = {
  readonly kind: 'name' | 'part';
  readonly name: string;
  /** Names that a part is written with. An include replaces them. */
  readonly parameters: readonly string[];
  /** The file, without its folder: `claims.sql`. */
  readonly file: string;
  /** Without the line that names it. It may begin with comments. */
  readonly text: string;
};

const HEADING = /^-- (?:(name): ([a-z\d-]+)|(part): ([a-z\d-]+)(?:\((\w+(?:, \w+)*)\))?)$/;

/**
 * The blocks of the files of a folder. Each begins with a line `-- name: claim-deliveries` or
 * `-- part: claimable(d)`. Throws if a file begins otherwise, or if a name occurs twice.
 */
export function readSqlFiles(folder: string): SqlBlock[] {
  const blocks = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .flatMap((file) => readBlocks(file, readFileSync(join(folder, file), 'utf8')));
  const names = new Set<string>();
  for (const { kind, name, file } of blocks) {
    if (names.has(`${kind} ${name}`)) throw new Error(`${file}: there is another ${kind} ${name}`);
    names.add(`${kind} ${name}`);
  }
  return blocks;
}

/** The blocks of one file. */
function readBlocks(file: string, text: string): SqlBlock[] {
  return text.split(/^(?=-- (?:name|part): )/m).map((block) => {
    const end = block.indexOf('\n');
    const [, isName, statement, , part, parameters] = HEADING.exec(block.slice(0, end)) ?? [];
    const name = statement ?? part;
    if (name === undefined)
      throw new Error(`${file}: a file begins with -- name: … or -- part: …, as does each block`);
    return {
      kind: isName === undefined ? 'part' : 'name',
      name,
      parameters: parameters?.split(', ') ?? [],
      file,
      text: `${block.slice(end + 1).trimEnd()}\n`,
    };
  });
}
