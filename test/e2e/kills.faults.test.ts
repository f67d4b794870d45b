/**
 * @needs kafka redis
 * @nightly
 */

import { testKills } from './support/test-kills.ts';

const SERVICES = [
  'campaigns',
  'gateway',
  'worker-email',
  'users-consumer',
  'events-consumer',
  'api',
];

testKills({
  form: 'services-on-kafka',
  what: 'each service in turn',
  killed: SERVICES,
  workerKills: 1,
  acceptedMin: 100,
});
