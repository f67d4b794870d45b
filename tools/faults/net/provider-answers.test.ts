import { expect, test } from '@jest/globals';
import { createProviderAnswers } from './provider-answers.ts';

const CREATED = Buffer.from('HTTP/1.1 201 Created\r\n\r\n');
const POST = Buffer.from('POST /messages HTTP/1.1\r\n\r\n');

test('SMTP: only the reply to a complete mail counts as accepted', () => {
  const told: string[] = [];
  const provider = createProviderAnswers('smtp', () => told.push('taken') > 0);
  const filter = provider.createFilter();

  filter.answer(Buffer.from('220 hello\r\n'));
  filter.request(Buffer.from('DATA\r\n'));
  filter.answer(Buffer.from('354 go on\r\n'));
  filter.request(Buffer.from('a mail\r\n.\r'));
  filter.request(Buffer.from('\n'));
  expect([told.length, provider.passed()]).toEqual([0, 0]);
  expect(filter.answer(Buffer.from('250 kept\r\n'))?.toString()).toBe('250 kept\r\n');

  expect([told.length, provider.passed()]).toEqual([1, 1]);
});

test('HTTP: only a 2xx to a message counts as accepted', () => {
  const provider = createProviderAnswers('http', () => true);
  const filter = provider.createFilter();

  filter.request(Buffer.from('GET /messages HTTP/1.1\r\n\r\n'));
  filter.answer(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'));
  filter.request(POST);
  filter.answer(Buffer.from('HTTP/1.1 429 Too Many Requests\r\n\r\n'));
  expect(provider.passed()).toBe(0);
  filter.request(POST);
  filter.answer(CREATED);

  expect(provider.passed()).toBe(1);
});

test('drops or garbles a response, depending on the mode', () => {
  const provider = createProviderAnswers('http', () => true);
  const filter = provider.createFilter();

  provider.setMode('lost');
  filter.request(POST);
  expect(filter.answer(CREATED)).toBeNull();
  provider.setMode('garbled');
  filter.request(POST);
  expect(filter.answer(CREATED)?.toString()).toContain('garbage');

  expect([provider.passed(), provider.disturbed()]).toEqual([0, 2]);
});

test('does not forward a response whose worker will be killed', () => {
  const filter = createProviderAnswers('http', () => false).createFilter();

  filter.request(POST);

  expect(filter.answer(CREATED)).toBeNull();
});
