import { expect, test } from '@jest/globals';
import { CHANNEL_FIELDS, settingsOf, valuesOf } from './channel-fields.ts';

const EMAIL = CHANNEL_FIELDS.EMAIL;
const kept = {
  host: 'smtp.example.com',
  port: 587,
  security: 'tls',
  fromAddress: 'a@example.com',
  password: '********',
};

test('a secret is never in a field, and stays as it is unless somebody types another', () => {
  const values = valuesOf(EMAIL, kept);

  expect(values['password']).toBe('');
  expect(settingsOf(EMAIL, values, kept)).toEqual(kept);
  expect(settingsOf(EMAIL, { ...values, password: 'new' }, kept)).toEqual({
    ...kept,
    password: 'new',
  });
});

test('a secret that was never kept is not written', () => {
  expect(settingsOf(EMAIL, valuesOf(EMAIL, {}), {})).toEqual({});
});

test('numbers are sent as numbers, and what is none as it is, for the service to say so', () => {
  expect(settingsOf(EMAIL, { port: '25' }, {})).toEqual({ port: 25 });
  expect(settingsOf(EMAIL, { port: 'smtp' }, {})).toEqual({ port: 'smtp' });
});
