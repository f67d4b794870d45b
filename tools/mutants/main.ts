import { onStopRequest } from '@tidings/local';
import { AUDIENCES_MUTANTS } from './audiences.ts';
import { AUTOMATION_TEXTS_MUTANTS } from './automation-texts.ts';
import { AUTOMATIONS_MUTANTS } from './automations.ts';
import { copyCheckout } from '../checkouts/copy-checkout.ts';
import { DELIVERY_MUTANTS } from './delivery.ts';
import { FUNNEL_LEAVES_MUTANTS } from './funnel-leaves.ts';
import { INGEST_MUTANTS } from './ingest.ts';
import { OPEN_CAMPAIGN_MUTANTS } from './open-campaigns.ts';
import { PERSONALISED_MUTANTS } from './personalised.ts';
import { runMutants } from './run-mutants.ts';
import { ANALYTICS_MUTANTS } from './analytics.ts';
import { SEGMENTS_MUTANTS } from './segments.ts';
import { TEMPLATES_MUTANTS } from './templates.ts';

const GROUPS = {
  ingest: INGEST_MUTANTS,
  delivery: [...DELIVERY_MUTANTS, ...OPEN_CAMPAIGN_MUTANTS],
  segments: SEGMENTS_MUTANTS,
  analytics: [...ANALYTICS_MUTANTS, ...FUNNEL_LEAVES_MUTANTS],
  templates: [...TEMPLATES_MUTANTS, ...AUTOMATION_TEXTS_MUTANTS],
  personalised: PERSONALISED_MUTANTS,
  audiences: AUDIENCES_MUTANTS,
  automations: AUTOMATIONS_MUTANTS,
} as const;
const INTERRUPTED = 130;

const [group = '', words = '', ...others] = process.argv.slice(2);
const mutants = Object.hasOwn(GROUPS, group)
  ? GROUPS[group as keyof typeof GROUPS].filter(({ name }) => name.includes(words))
  : [];
if (mutants.length === 0 || others.length > 0) {
  console.error(`npm run mutants -- ${Object.keys(GROUPS).join('|')} ['words of a name']`);
  process.exit(2);
}

const stopRequested = onStopRequest();
const checkout = copyCheckout(stopRequested);
try {
  const haveAllDied = await runMutants(checkout, mutants);
  process.exitCode = haveAllDied ? 0 : 1;
} catch (error) {
  if (!stopRequested.aborted) throw error;
  process.exitCode = INTERRUPTED;
} finally {
  checkout.remove();
}
