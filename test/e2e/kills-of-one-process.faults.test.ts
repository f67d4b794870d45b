import { ONE_PROCESS } from '@tidings/local';
import { testKills } from './support/test-kills.ts';

// All work of all services ends at once, five times, and nothing is accepted until the process has
// started again.
testKills({
  form: 'one-process',
  what: 'the one process',
  killed: Array<string>(5).fill(ONE_PROCESS),
  workerKills: 5,
  acceptedMin: 20,
});
