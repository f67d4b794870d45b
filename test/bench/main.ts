import { parseArgs } from 'node:util';
import { benchIngest, INGEST_PARTS } from './ingest/bench-ingest.ts';
import { benchSoak } from './soak/bench-soak.ts';

/** Figures beside their goals, as tables and as JSON below `.tidings/bench`. For real figures, nothing else runs on the machine. */
const USAGE = `npm run bench -- ingest [${INGEST_PARTS.join('|')}|all …] [--quick]
npm run bench -- soak [--minutes 30] [--share 0.3] [--quick]`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, minutes: { type: 'string', default: '30' }, share: { type: 'string', default: '0.3' } },
});
const [name, ...named] = positionals;
const minutes = Number(values.minutes);
const share = Number(values.share);
const parts = named.length === 0 || named.includes('all') ? INGEST_PARTS : INGEST_PARTS.filter((part) => named.includes(part));
const areNumbers = minutes > 0 && share > 0;

if (name === 'ingest' && named.every((part) => part === 'all' || parts.some((known) => known === part))) await benchIngest({ parts, isQuick: values.quick });
else if (name === 'soak' && named.length === 0 && areNumbers) await benchSoak({ minutes, share, isQuick: values.quick });
else {
  console.error(USAGE);
  process.exit(2);
}
