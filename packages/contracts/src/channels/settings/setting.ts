import type { FieldSchema } from '../message-schema.ts';

/** One setting: the schema that a value must meet, and the field of the channel's page that takes it. */
export type Setting = {
  /** `description` says in errors what is expected. */
  readonly schema: FieldSchema;
  /** Without one the page has no field for it. */
  readonly label?: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  /** Written, never read. */
  readonly isSecret?: boolean;
  /** The choice that the page begins with. */
  readonly standard?: string;
  /** The text has several lines. */
  readonly isLong?: boolean;
};

/** What a channel is set up with, in the order of its page. */
export type ChannelSettingsForm = {
  readonly fields: Readonly<Record<string, Setting>>;
  /** Exactly one of these settings is required. */
  readonly oneOf?: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
};

/** The JSON Schema of the settings: other fields are refused. */
export function settingsSchemaOf({ fields, oneOf }: ChannelSettingsForm): FieldSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isRequired }]) => isRequired === true);
  return {
    type: 'object',
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    additionalProperties: false,
    ...(oneOf !== undefined && {
      oneOf: oneOf.map((name) => ({
        type: 'object',
        required: [name],
        properties: { [name]: {} },
      })),
    }),
  };
}

export function secretSettingsOf({ fields }: ChannelSettingsForm): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.isSecret === true);
}

/** Nothing to sign in to: a channel that is configured is wanted. */
export const noSettings = { fields: {}, example: {} } as const satisfies ChannelSettingsForm;

/** Of every provider: what it takes from this application. */
export const ratePerSecond = {
  schema: {
    type: 'number',
    minimum: 0.01,
    maximum: 10_000,
    description: 'sends a second, from 0.01 to 10000',
  },
  label: 'Max sends per second',
  hint: 'Your provider’s limit. Leave empty to use the default.',
} as const satisfies Setting;
