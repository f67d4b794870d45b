import { readSourceFiles } from './source-files.ts';
import { readStructure } from './structure.ts';

// `npm run structure`: the packages with their size and their imports, as a table of Markdown.
const short = (names: readonly string[]): string =>
  names.map((name) => name.replace(/^(packages|services)\//, '')).join(', ') || '–';

console.log('| package | lines | files | imports | imported by |');
console.log('| --- | ---: | ---: | --- | --- |');
for (const { name, lines, files, imports, importedBy } of readStructure(readSourceFiles()))
  console.log(`| \`${name}\` | ${lines} | ${files} | ${short(imports)} | ${short(importedBy)} |`);
