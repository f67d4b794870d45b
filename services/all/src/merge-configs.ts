import { ConfigError, type ConfigField, type ConfigSpec } from '@tidings/platform';
import { isDeepStrictEqual } from 'node:util';

export type NamedConfig = { readonly name: string; readonly config: ConfigSpec };

export type MergedConfig = {
  /** One field for each variable, by the variable. */
  readonly spec: ConfigSpec;
  /** The configuration of a service, from the values of `spec`. */
  configOf(service: NamedConfig, values: Readonly<Record<string, unknown>>): Values;
};

type Values = Readonly<Record<string, unknown>>;

export type MergeOptions = {
  /** Fields that replace those of the same variable in every service. */
  readonly own: ConfigSpec;
  /** Other names for variables of a service, by service and variable. */
  readonly ownNames: Readonly<Record<string, Readonly<Record<string, Partial<ConfigField>>>>>;
};

/**
 * Merges the configurations of services that read one environment.
 * @throws ConfigError if two services declare a variable with different values or defaults
 */
export function mergeConfigs(
  services: readonly NamedConfig[],
  { own, ownNames }: MergeOptions,
): MergedConfig {
  const ownFields = new Map(Object.values(own).map((field) => [field.env, field]));
  const fieldOf = ({ name }: NamedConfig, field: ConfigField): ConfigField => {
    const renamed = ownNames[name]?.[field.env];
    return renamed === undefined ? (ownFields.get(field.env) ?? field) : { ...field, ...renamed };
  };
  const declared = services.flatMap((service) =>
    Object.values(service.config).map((field) => ({
      service: service.name,
      field: fieldOf(service, field),
    })),
  );
  const merged = new Map<string, { readonly service: string; readonly field: ConfigField }>();
  const problems: string[] = [];
  for (const next of declared) {
    const { env } = next.field;
    const first = merged.get(env) ?? next;
    merged.set(env, first);
    if (!isSame(first.field, next.field))
      problems.push(`${env} is not the same setting in ${first.service} and ${next.service}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    spec: Object.fromEntries([
      ...[...merged].map(([env, { field }]) => [env, field] as const),
      ...ownFields,
    ]),
    configOf: (service, values) =>
      Object.freeze(
        Object.fromEntries(
          Object.entries(service.config).map(([key, field]) => [
            key,
            values[fieldOf(service, field).env],
          ]),
        ),
      ),
  };
}

/** Texts may differ: they say what a service uses a variable for. */
function isSame(one: ConfigField, other: ConfigField): boolean {
  return isDeepStrictEqual({ ...one, doc: '' }, { ...other, doc: '' });
}
