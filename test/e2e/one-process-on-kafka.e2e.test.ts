/** @needs kafka redis */

import { testOneProcess } from './support/test-one-process.ts';

testOneProcess({ kafka: true, redis: true });
