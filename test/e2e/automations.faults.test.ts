/** @needs redis */

import { rowsOfRun } from '../nightly/rows-of-run.ts';
import { testAutomationsRows } from './support/automations-rows.ts';

/** On the bus in Postgres; `npm run faults -- automations` runs all rows, in the long form. */
testAutomationsRows(
  { name: 'automations-faults', bus: 'postgres' },
  rowsOfRun({
    always: ['A4', 'A35', 'A36'],
    nightly: ['A2', 'A9', 'A15', 'A17', 'A21', 'A34'],
  }),
);
