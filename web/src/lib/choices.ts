import type { FieldSchema } from '@tidings/contracts/channels/message-schema';

/** The allowed values of a field, the default first. Empty if the field is not an enumeration. */
export function listChoices(schema: FieldSchema, standard: unknown): readonly string[] {
  const choices = Array.isArray(schema['enum'])
    ? (schema['enum'] as readonly unknown[]).filter((choice) => typeof choice === 'string')
    : [];
  return [
    ...choices.filter((choice) => choice === standard),
    ...choices.filter((choice) => choice !== standard),
  ];
}
