/**
 * @needs kafka redis
 * @nightly
 */

import { testAutomationsRows } from './support/automations-rows.ts';

/** What may differ with Kafka; `npm run faults -- automations` runs all rows, in the long form. */
testAutomationsRows({ name: 'automations-on-kafka', bus: 'kafka' }, [
  'A2',
  'A4',
  'A5',
  'A9',
  'A21',
  'A35',
]);
