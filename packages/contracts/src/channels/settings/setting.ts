import type { FieldSchema } from '../message-schema.ts';

/** One setting: the schema of its value, and its field on the channel page. */
export type Setting = {
  /** `description` is the expected value in errors. */
  readonly schema: FieldSchema;
  /** Without a label the page has no field for it. */
  readonly label?: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  /** Write-only. */
  readonly isSecret?: boolean;
  /** It is the same for all accounts of the channel. */
  readonly isOfChannel?: boolean;
  /** The preselected choice. */
  readonly standard?: string;
  /** A multi-line text. */
  readonly isLong?: boolean;
};

/** Settings as a form, in page order. */
export type SettingsForm = {
  readonly fields: Readonly<Record<string, Setting>>;
  /** Exactly one of these settings is required. */
  readonly oneOf?: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
};

/** The JSON Schema of an object with these settings; unknown fields are rejected. */
export function buildFormSchema({ fields, oneOf }: SettingsForm) {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isRequired }]) => isRequired === true);
  return {
    type: 'object',
    required: required.map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    additionalProperties: false,
    ...(oneOf !== undefined && {
      oneOf: oneOf.map((name) => ({
        type: 'object',
        required: [name],
        properties: { [name]: {} },
      })),
    }),
  } as const;
}

/** The settings that each account has itself, or those that the channel has for all of them. */
export function partOfForm(form: SettingsForm, part: 'account' | 'channel'): SettingsForm {
  const ofPart = ([, { isOfChannel }]: [string, Setting]): boolean =>
    (isOfChannel === true) === (part === 'channel');
  const fields = Object.fromEntries(Object.entries(form.fields).filter(ofPart));
  const example = Object.fromEntries(
    Object.entries(form.example).filter(([name]) => fields[name] !== undefined),
  );
  return {
    fields,
    example,
    ...(part === 'account' && form.oneOf !== undefined && { oneOf: form.oneOf }),
  };
}

export function listSecretSettings({ fields }: SettingsForm): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.isSecret === true);
}

/** Common to all providers: the rate that they accept from this application. */
export const ratePerSecond = {
  schema: {
    type: 'number',
    minimum: 0.01,
    maximum: 10_000,
    description: 'sends per second, from 0.01 to 10000',
  },
  label: 'Max sends per second',
  hint: 'Your provider’s limit. Leave empty to use the default.',
} as const satisfies Setting;
