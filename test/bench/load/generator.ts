import type { LoadPlan } from './plan.ts';
import { runPlan } from './run-plan.ts';

/**
 * The process that applies load, by plans that come over the channel of its parent: apart, so that what it costs is
 * known and its work delays nobody's clock. It ends with its parent.
 */
process.on('message', (plan: LoadPlan) => {
  runPlan(plan).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
