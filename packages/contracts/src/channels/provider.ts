import type { FieldSchema } from './message-schema.ts';
import { buildFormSchema, type SettingsForm } from './settings/setting.ts';

/** A provider of a channel: its name on the pages, and the settings of an account there. */
export type ChannelProvider = SettingsForm & {
  readonly label: string;
  /** What an operator sets up at the provider, beside these settings. */
  readonly setup?: string;
};

/** The providers of a channel by name. The first is meant where settings name none. */
export type ChannelProviders = Readonly<Record<string, ChannelProvider>>;

/** The setting that names the provider, on channels with several. */
export const PROVIDER_SETTING = 'provider';

type Settings = Readonly<Record<string, unknown>>;

export function hasSeveralProviders(providers: ChannelProviders): boolean {
  return Object.keys(providers).length > 1;
}

/** The provider that these settings name. Another version may have written one that this has not. */
export function providerNameOf(providers: ChannelProviders, settings: Settings): string {
  const [first] = Object.keys(providers) as [string, ...string[]];
  const named = settings[PROVIDER_SETTING];
  return typeof named === 'string' ? named : first;
}

/** The descriptor of the provider that these settings name. */
export function providerOf(
  providers: ChannelProviders,
  settings: Settings,
): ChannelProvider | undefined {
  const name = providerNameOf(providers, settings);
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

/**
 * The JSON Schema of a channel's settings: those of its only provider, or of the one that they name.
 * Each alternative declares the name too, so it is complete.
 */
export function buildSettingsSchema(providers: ChannelProviders): FieldSchema {
  const names = Object.keys(providers);
  const [only, ...others] = Object.values(providers);
  if (only !== undefined && others.length === 0) return buildFormSchema(only);
  return {
    type: 'object',
    properties: { [PROVIDER_SETTING]: { enum: names } },
    allOf: Object.entries(providers).map(([name, form], index) => {
      const required = index === 0 ? [] : [PROVIDER_SETTING];
      const named = { [PROVIDER_SETTING]: { const: name } };
      const schema = buildFormSchema(form);
      return {
        if: { type: 'object', required, properties: named },
        // Computed key: an object literal with `then` would look like a promise.
        ['then' as string]: {
          title: `${name.charAt(0).toUpperCase()}${name.slice(1)}Settings`,
          ...schema,
          required: [...required, ...schema.required],
          properties: { ...named, ...schema.properties },
        },
      };
    }),
  };
}
