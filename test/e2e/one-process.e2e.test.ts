import { testOneProcess } from './support/test-one-process.ts';

testOneProcess({ kafka: false, redis: false });
