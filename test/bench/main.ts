import { benchIngest } from './ingest.ts';

/** `npm run bench -- <name>`: ratios within one run, as a table and as JSON below `.tidings/bench`. */
const BENCHES: Readonly<Record<string, () => Promise<void>>> = { ingest: benchIngest };

const [name = ''] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  console.error(`Which bench? One of: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
await bench();
