import { _, Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvPackage from 'ajv/package.json' with { type: 'json' };
import standaloneCode from 'ajv/dist/standalone/index.js';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readEnvironment } from '@tidings/platform';
import { AJV_OPTIONS, FORMATS } from './validator-options.ts';

/**
 * Schemas compiled ahead of time, beside Node's compile cache. To compile those of POST / and POST
 * /push takes 0.3 s of CPU and leaves 25 MiB with a process; to load them takes 5 ms and 1 MiB. It is a
 * cache: a changed schema, or one without a file, is compiled.
 */
export type PrecompiledValidators = {
  find(schema: object): ValidateFunction | undefined;
};

type Factory = (
  require: NodeJS.Require,
  formats: typeof FORMATS,
) => Readonly<Record<string, ValidateFunction>>;

const require = createRequire(import.meta.url);

/** The cache in a folder, that of this process by default; empty if there is none. */
export function openPrecompiledValidators(folder = compileCache()): PrecompiledValidators {
  const file = cacheFile(folder);
  if (file === undefined || !existsSync(file)) return { find: () => undefined };
  const validators = (require(file) as Factory)(require, FORMATS);
  return { find: (schema) => validators[nameOf(schema)] };
}

/**
 * Writes the cache in a folder, that of this process by default.
 * @throws Error if there is none
 */
export function writePrecompiledValidators(
  schemas: readonly object[],
  folder = compileCache(),
): void {
  const file = cacheFile(folder);
  if (file === undefined) throw new Error('NODE_COMPILE_CACHE is not set');
  const ajv = new Ajv2020({ ...AJV_OPTIONS, code: { source: true, formats: _`formats` } });
  const names = new Set(schemas.map(nameOf));
  for (const schema of schemas)
    if (ajv.getSchema(nameOf(schema)) === undefined) ajv.addSchema(schema, nameOf(schema));
  const code = standaloneCode.default(
    ajv,
    Object.fromEntries([...names].map((name) => [name, name])),
  );
  mkdirSync(dirname(file), { recursive: true });
  // Whole or not at all: another process may be starting.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(
    unfinished,
    `module.exports = (require, formats) => {\nconst exports = {};\n${code}\nreturn exports;\n};\n`,
  );
  renameSync(unfinished, file);
}

const compileCache = (): string | undefined => readEnvironment()['NODE_COMPILE_CACHE'];

function cacheFile(folder: string | undefined): string | undefined {
  return folder === undefined || folder === ''
    ? undefined
    : join(folder, `validators-ajv-${ajvPackage.version}.cjs`);
}

function nameOf(schema: object): string {
  return `v${createHash('sha256').update(JSON.stringify(schema)).digest('hex')}`;
}
