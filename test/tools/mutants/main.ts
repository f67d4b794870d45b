import { createCheckout } from './checkout.ts';
import { DELIVERY_MUTANTS } from './delivery.ts';
import { INGEST_MUTANTS } from './ingest.ts';
import { runMutants } from './run-mutants.ts';
import { SEGMENTS_MUTANTS } from './segments.ts';
import { TEMPLATES_MUTANTS } from './templates.ts';

const GROUPS = {
  ingest: INGEST_MUTANTS,
  delivery: DELIVERY_MUTANTS,
  segments: SEGMENTS_MUTANTS,
  templates: TEMPLATES_MUTANTS,
} as const;

const [name = '', ...others] = process.argv.slice(2);
if (!Object.hasOwn(GROUPS, name) || others.length > 0) {
  console.error(`npm run mutants -- ${Object.keys(GROUPS).join('|')}`);
  process.exit(2);
}

const checkout = createCheckout();
try {
  const haveAllDied = await runMutants(checkout, GROUPS[name as keyof typeof GROUPS]);
  process.exitCode = haveAllDied ? 0 : 1;
} finally {
  checkout.remove();
}
