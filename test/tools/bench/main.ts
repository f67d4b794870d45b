import { parseArgs } from 'node:util';
import { benchDashboard } from './dashboard/bench-dashboard.ts';
import { benchDelivery, DELIVERY_PARTS } from './delivery/bench-delivery.ts';
import { benchIngest, INGEST_PARTS } from './ingest/bench-ingest.ts';
import { benchSoak } from './soak/bench-soak.ts';

/**
 * Prints figures with their goals, and writes JSON to `.tidings/bench`. For valid figures, run
 * nothing else on the machine.
 */
const USAGE = `npm run bench -- ingest [${INGEST_PARTS.join('|')}|all …] [--quick]
npm run bench -- delivery [${DELIVERY_PARTS.join('|')}|all …] [--quick]
npm run bench -- dashboard [--deliveries 1000000] [--events 10000000] [--quick]
npm run bench -- soak [--minutes 30] [--share 0.3] [--quick]`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    share: { type: 'string', default: '0.3' },
    deliveries: { type: 'string' },
    events: { type: 'string' },
  },
});
const [name, ...named] = positionals;
const minutes = Number(values.minutes);
const share = Number(values.share);
const [deliveries, events] = [values.deliveries, values.events].map((text) =>
  text === undefined ? undefined : Number(text),
);
const areCounts = [deliveries, events].every(
  (count) => count === undefined || (Number.isSafeInteger(count) && count > 0),
);
const areNumbers = minutes > 0 && share > 0;

/** Undefined if a name is not a part. */
function choose<Part extends string>(known: readonly Part[]): Part[] | undefined {
  if (!named.every((part) => part === 'all' || known.some((one) => one === part))) return undefined;
  return named.length === 0 || named.includes('all')
    ? [...known]
    : known.filter((part) => named.includes(part));
}
const ingestParts = name === 'ingest' ? choose(INGEST_PARTS) : undefined;
const deliveryParts = name === 'delivery' ? choose(DELIVERY_PARTS) : undefined;

if (ingestParts !== undefined) await benchIngest({ parts: ingestParts, isQuick: values.quick });
else if (deliveryParts !== undefined)
  await benchDelivery({ parts: deliveryParts, isQuick: values.quick });
else if (name === 'dashboard' && named.length === 0 && areCounts)
  await benchDashboard({
    isQuick: values.quick,
    ...(deliveries !== undefined && { deliveries }),
    ...(events !== undefined && { events }),
  });
else if (name === 'soak' && named.length === 0 && areNumbers)
  await benchSoak({ minutes, share, isQuick: values.quick });
else {
  console.error(USAGE);
  process.exit(2);
}
