import { readSourceFiles } from './source-files.ts';
import { readStructure } from './structure.ts';

// `npm run structure`: the packages with their size and their imports, as a table of Markdown.
const short = (names: readonly string[]): string =>
  names.map((name) => name.replace(/^(packages|services)\//, '')).join(', ') || '–';

const rows = readStructure(readSourceFiles()).map(
  ({ name, lines, files, imports, importedBy }) =>
    `| \`${name}\` | ${lines} | ${files} | ${short(imports)} | ${short(importedBy)} |\n`,
);
process.stdout.write(
  `| package | lines | files | imports | imported by |\n| --- | ---: | ---: | --- | --- |\n${rows.join('')}`,
);
