import { sweepTestHomes } from './test-home.ts';

await sweepTestHomes();
