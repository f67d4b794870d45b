import { describe, expect, test } from '@jest/globals';
import {
  buildSettingsSchema,
  providerNameOf,
  type ChannelProvider,
} from '@tidings/contracts/channels/provider';
import { portable } from '@tidings/openapi/portable';
import { createValidator } from '@tidings/validation';
import { mutated } from './mutated.ts';

const text = { schema: { type: 'string', minLength: 1 } } as const;
const rate = { schema: { type: 'number', minimum: 1 } } as const;
const FIRST = {
  label: 'First',
  fields: { token: { ...text, isRequired: true, isSecret: true }, from: text, pool: text, rate },
  oneOf: ['from', 'pool'],
  example: { token: 't', from: 'me' },
} as const satisfies ChannelProvider;
const SECOND = {
  label: 'Second',
  fields: { key: { ...text, isRequired: true }, from: { ...text, isRequired: true }, rate },
  example: { key: 'k', from: 'me' },
} as const satisfies ChannelProvider;
const PROVIDERS = { first: FIRST, second: SECOND };

const schema = buildSettingsSchema(PROVIDERS);
const validate = createValidator<object>(schema);
const faultsOf = (settings: unknown) => {
  const result = validate(settings);
  return result.ok ? [] : result.errors.map(({ pointer, code }) => `${pointer} ${code}`);
};

describe('settings of a channel with two providers', () => {
  const asFirst = FIRST.example;
  const asSecond = { provider: 'second', ...SECOND.example };

  test.each([
    ['without a provider, those of the first', asFirst, []],
    ['of the first by name', { provider: 'first', ...asFirst }, []],
    ['of the second', asSecond, []],
    ['of the second without its name', SECOND.example, ['/token required', '/key invalid_value']],
    [
      'of the second with its name, and a field of the first',
      { ...asSecond, pool: 'x' },
      ['/pool invalid_value'],
    ],
    ['of the second, incomplete', { provider: 'second' }, ['/key required', '/from required']],
    ['with a wrong value', { ...asSecond, rate: 0 }, ['/rate out_of_range']],
    ['with neither of two fields', { token: 't' }, [' exactly_one_of']],
    ['of an unknown provider: one fault', { provider: 'third', x: 1 }, ['/provider invalid_value']],
    ['of a provider of the wrong type', { provider: null }, ['/provider invalid_value']],
    ['that are no object', 'x', [' wrong_type']],
  ])('%s', (_what, settings, faults) => {
    expect(faultsOf(settings)).toEqual(faults);
  });

  test('the document has a complete type for each, and accepts and rejects the same', () => {
    const shown = portable(schema) as { readonly oneOf: readonly { readonly title: string }[] };
    const byDocument = createValidator(shown);
    const bodies = [asFirst, { provider: 'first', ...asFirst }, asSecond].flatMap(mutated);

    expect(shown.oneOf.map(({ title }) => title)).toEqual(['FirstSettings', 'SecondSettings']);
    expect(bodies.filter((body) => validate(body).ok !== byDocument(body).ok)).toEqual([]);
    expect(new Set(bodies.map((body) => validate(body).ok))).toEqual(new Set([true, false]));
  });

  test('name their provider; without a name they mean the first', () => {
    expect(providerNameOf(PROVIDERS, asSecond)).toBe('second');
    expect(providerNameOf(PROVIDERS, asFirst)).toBe('first');
  });
});

test('settings of a channel with one provider have no field for it', () => {
  const only = createValidator(buildSettingsSchema({ first: FIRST }));

  expect(only(FIRST.example).ok).toBe(true);
  expect(only({ ...FIRST.example, provider: 'first' }).ok).toBe(false);
});
