import { readSourceFiles } from './source-files.ts';
import { readStatementFiles } from './statement-files.ts';
import { readStructure } from './structure.ts';

// `npm run structure`: prints the packages with size and imports as a Markdown table.
const short = (names: readonly string[]): string =>
  names.map((name) => name.replace(/^(packages|services)\//, '')).join(', ') || '–';

const statements = readStatementFiles();
const countStatements = (name: string): number =>
  statements.filter(({ path }) => path.startsWith(`${name}/`)).length;

const rows = readStructure(readSourceFiles()).map(
  ({ name, lines, files, imports, importedBy }) =>
    `| \`${name}\` | ${lines} | ${files} | ${countStatements(name)} | ${short(imports)} | ${short(importedBy)} |\n`,
);
process.stdout.write(
  `| package | lines | files | statements | imports | imported by |\n| --- | ---: | ---: | ---: | --- | --- |\n${rows.join('')}`,
);
