import { Ajv2020 } from 'ajv/dist/2020.js';

/** One setting of a service: its variable, its schema and its purpose. */
export type ConfigField<T = unknown> = {
  readonly env: string;
  /** The variable that is read if `env` is not set. */
  readonly fallbackEnv?: string;
  /** JSON Schema of the value. The text of the environment is converted to its type. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly doc: string;
  /** Absent: the setting is required. */
  readonly default?: T;
  readonly secret?: boolean;
  /** Carries the type only. */
  readonly value?: T;
};

export type ConfigSpec = Readonly<Record<string, ConfigField>>;

export type ConfigOf<S extends ConfigSpec> = {
  readonly [K in keyof S]: S[K] extends ConfigField<infer T> ? T : never;
};

type Options<T> = { readonly default?: T; readonly secret?: boolean };

/** A text setting. */
export function text(
  env: string,
  doc: string,
  options: Options<string> & {
    readonly values?: readonly string[];
    readonly fallbackEnv?: string;
  } = {},
): ConfigField<string> {
  const { values, ...rest } = options;
  return {
    env,
    doc,
    schema: values ? { type: 'string', enum: values } : { type: 'string', minLength: 1 },
    ...rest,
  };
}

/** An optional text setting. */
export function optionalText(
  env: string,
  doc: string,
  options: { readonly secret?: boolean } = {},
): ConfigField<string> {
  return { env, doc, schema: { type: 'string' }, default: '', ...options };
}

/** An integer within bounds. The name states the unit. */
export function integer(
  env: string,
  doc: string,
  options: Options<number> & { readonly min?: number; readonly max?: number } = {},
): ConfigField<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, ...rest } = options;
  return { env, doc, schema: { type: 'integer', minimum: min, maximum: max }, ...rest };
}

/** A number from 0 to 1. */
export function fraction(
  env: string,
  doc: string,
  options: Options<number> = {},
): ConfigField<number> {
  return { env, doc, schema: { type: 'number', minimum: 0, maximum: 1 }, ...options };
}

/** `true` or `false`. */
export function flag(
  env: string,
  doc: string,
  options: Options<boolean> = {},
): ConfigField<boolean> {
  return { env, doc, schema: { type: 'boolean' }, ...options };
}

/** Values separated by commas. */
export function list(
  env: string,
  doc: string,
  options: Options<readonly string[]> & { readonly min?: number } = {},
): ConfigField<readonly string[]> {
  const { min = 0, ...rest } = options;
  return {
    env,
    doc,
    schema: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: min },
    ...rest,
  };
}

/** An invalid configuration; `problems` has one line per fault. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `the configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Reads the declared settings from an environment and reports all faults at once.
 * @throws ConfigError
 */
export function loadConfig<S extends ConfigSpec>(
  spec: S,
  environment: Readonly<Record<string, string>>,
): ConfigOf<S> {
  const raw: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const field of Object.values(spec)) {
    const { env, fallbackEnv = env } = field;
    const value = environment[env] || environment[fallbackEnv];
    if (value !== undefined && value !== '') {
      raw[env] = parsed(value, field.schema['type']);
    } else if (field.default === undefined) {
      problems.push(
        `${fallbackEnv === env ? env : `${fallbackEnv} (or ${env})`} is missing: ${field.doc}`,
      );
    } else {
      raw[env] = field.default;
    }
  }

  const validate = new Ajv2020({ allErrors: true, strict: true }).compile({
    type: 'object',
    properties: Object.fromEntries(Object.values(spec).map((field) => [field.env, field.schema])),
  });
  if (!validate(raw)) {
    for (const error of validate.errors ?? []) {
      const [, name] = error.instancePath.split('/');
      problems.push(
        `${name} ${error.message}${error.keyword === 'enum' ? `: ${(error.params['allowedValues'] as string[]).join(', ')}` : ''}`,
      );
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);

  const config = Object.fromEntries(
    Object.entries(spec).map(([key, field]) => [key, raw[field.env]]),
  );
  return Object.freeze(config) as ConfigOf<S>;
}

/** Converts a text to `type`. An unconvertible text stays, so the schema reports it. */
function parsed(value: string, type: unknown): unknown {
  switch (type) {
    case 'array':
      return value.split(',').map((item) => item.trim());
    case 'integer':
      return /^-?\d+$/.test(value) ? Number(value) : value;
    case 'number':
      return /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    case 'boolean':
      return value === 'true' || (value === 'false' ? false : value);
    default:
      return value;
  }
}
