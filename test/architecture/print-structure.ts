import { readSourceFiles } from './source-files.ts';
import { COPY_TOKENS, countCopies } from './sql-copies.ts';
import { readSqlTexts } from './statement-files.ts';
import { readStructure } from './structure.ts';

// `npm run structure`: prints the packages with size and imports as a Markdown table, and how much of
// SQL is written twice.
const short = (names: readonly string[]): string =>
  names.map((name) => name.replace(/^(packages|services)\//, '')).join(', ') || '–';

const texts = readSqlTexts();
const statements = texts.filter(({ kind }) => kind === 'name');
const countStatements = (name: string): number =>
  statements.filter(({ path }) => path.startsWith(`${name}/`)).length;

const rows = readStructure(readSourceFiles()).map(
  ({ name, lines, files, imports, importedBy }) =>
    `| \`${name}\` | ${lines} | ${files} | ${countStatements(name)} | ${short(imports)} | ${short(importedBy)} |\n`,
);
process.stdout.write(
  `| package | lines | files | statements | imports | imported by |\n| --- | ---: | ---: | ---: | --- | --- |\n${rows.join('')}`,
);

const { copied, total } = countCopies(texts);
const lines = texts.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
process.stdout.write(
  `\nSQL: ${statements.length} statements and ${texts.length - statements.length} parts, ${lines} lines, ${total} tokens, ${((100 * copied) / total).toFixed(1)} % of them in copies of ${COPY_TOKENS} or more\n`,
);
