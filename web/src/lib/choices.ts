import type { FieldSchema } from '@tidings/contracts';

/** The choices of a field, that which holds where none is made first; empty where it takes other values. */
export function listChoices(schema: FieldSchema, standard: unknown): readonly string[] {
  const choices = Array.isArray(schema['enum'])
    ? (schema['enum'] as readonly unknown[]).filter((choice) => typeof choice === 'string')
    : [];
  return [
    ...choices.filter((choice) => choice === standard),
    ...choices.filter((choice) => choice !== standard),
  ];
}
