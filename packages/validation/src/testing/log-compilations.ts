// Preloaded into a process by a test (`--import`): each schema that it compiles is a line of its log.

import { Ajv2020 } from 'ajv/dist/2020.js';

const compile = Reflect.get(Ajv2020.prototype, 'compile') as (...args: unknown[]) => unknown;

Reflect.set(Ajv2020.prototype, 'compile', function (this: Ajv2020, ...args: unknown[]): unknown {
  process.stdout.write(`${JSON.stringify({ msg: 'schema compiled' })}\n`);
  return compile.apply(this, args);
});
