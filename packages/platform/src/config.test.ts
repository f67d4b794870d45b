import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConfigError, flag, integer, list, loadConfig, optionalText, text } from './config.ts';
import { readEnvironment } from './env.ts';

const spec = {
  url: text('URL', 'Where it is.', { secret: true }),
  level: text('LEVEL', 'How much.', { default: 'info', values: ['debug', 'info'] }),
  port: integer('PORT', 'Which port.', { default: 8080, max: 65_535 }),
  waitMs: integer('WAIT_MS', 'How long.', { min: 1 }),
  isTls: flag('TLS', 'Whether encrypted.', { default: false }),
  brokers: list('BROKERS', 'Which brokers.', { min: 1 }),
  user: optionalText('USER_NAME', 'Who.'),
} as const;
const valid = { URL: 'a://b', WAIT_MS: '5', BROKERS: 'one:1' };

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(spec, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  test('texts of the environment become the declared types, defaults fill what is absent, and the result is frozen', () => {
    const config = loadConfig(spec, { ...valid, PORT: '0', TLS: 'true', BROKERS: 'one:1, two:2' });

    expect(config).toEqual({
      url: 'a://b',
      level: 'info',
      port: 0,
      waitMs: 5,
      isTls: true,
      brokers: ['one:1', 'two:2'],
      user: '',
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('all problems are named at once, each with its variable', () => {
    const problems = problemsOf({ LEVEL: 'loud', PORT: '70000', WAIT_MS: 'soon', TLS: 'yes' });

    expect(problems.map((problem) => problem.split(' ')[0]).toSorted()).toEqual([
      'BROKERS',
      'LEVEL',
      'PORT',
      'TLS',
      'URL',
      'WAIT_MS',
    ]);
    expect(problems).toContain('URL is missing: Where it is.');
    expect(problems).toContain('LEVEL must be equal to one of the allowed values: debug, info');
  });

  test('a setting that has a fallback is read from it where its own variable is not set', () => {
    const own = { url: text('OWN_URL', 'Where it is.', { fallbackEnv: 'URL' }) };

    expect(loadConfig(own, { URL: 'a://shared' })).toEqual({ url: 'a://shared' });
    expect(loadConfig(own, { OWN_URL: '', URL: 'a://shared' })).toEqual({ url: 'a://shared' });
    expect(loadConfig(own, { OWN_URL: 'a://own', URL: 'a://shared' })).toEqual({ url: 'a://own' });
    expect(() => loadConfig(own, {})).toThrow('URL (or OWN_URL) is missing: Where it is.');
  });

  test.each([
    ['a fraction', { PORT: '1.5' }],
    ['a word', { PORT: 'http' }],
    ['a negative number', { PORT: '-1' }],
    ['an infinite number', { PORT: 'Infinity' }],
    ['a hexadecimal number', { PORT: '0x1F90' }],
    ['spaces for a number', { WAIT_MS: '  ' }],
    ['a number below its least', { WAIT_MS: '0' }],
    ['a list with an empty item', { BROKERS: 'one:1,,two:2' }],
    ['1 for a flag', { TLS: '1' }],
  ])('%s is a problem', (_what, change: Record<string, string>) => {
    const problems = problemsOf({ ...valid, ...change });

    expect(problems).toEqual([expect.stringContaining(Object.keys(change)[0] ?? '')]);
  });

  test('an empty variable counts as absent', () => {
    expect(problemsOf({ ...valid, URL: '' })).toEqual(['URL is missing: Where it is.']);
    expect(loadConfig(spec, { ...valid, PORT: '' }).port).toBe(8080);
  });

  test('no problem repeats the value, which may be a secret', () => {
    const problems = problemsOf({ ...valid, WAIT_MS: 'canary', LEVEL: 'canary', TLS: 'canary' });

    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('canary');
  });

  test('a default that the declaration itself forbids is a problem', () => {
    expect(() =>
      loadConfig({ port: integer('PORT', 'Which port.', { default: 70_000, max: 65_535 }) }, {}),
    ).toThrow(ConfigError);
  });
});

describe('env', () => {
  let folder: string;
  let file: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-env-'));
    file = join(folder, 'secret');
    await writeFile(file, 's3cret\n');
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('NAME_FILE gives the value of NAME from a file, without the line break at its end', () => {
    expect(readEnvironment({ DATABASE_URL_FILE: file })).toEqual({
      DATABASE_URL_FILE: file,
      DATABASE_URL: 's3cret',
    });
  });

  test('an empty NAME counts as absent', () => {
    for (const environment of [
      { DATABASE_URL: '', DATABASE_URL_FILE: file },
      { DATABASE_URL_FILE: file, DATABASE_URL: '' },
    ])
      expect(readEnvironment(environment)['DATABASE_URL']).toBe('s3cret');
  });

  test('NAME itself wins over NAME_FILE', () => {
    expect(
      readEnvironment({ DATABASE_URL: 'direct', DATABASE_URL_FILE: file })['DATABASE_URL'],
    ).toBe('direct');
  });

  test('a file that is missing leaves the variable absent, for the config check to report', () => {
    expect(readEnvironment({ DATABASE_URL_FILE: join(folder, 'nothing') })).not.toHaveProperty(
      'DATABASE_URL',
    );
  });

  test('a foreign variable that ends in _FILE is ignored', () => {
    expect(readEnvironment({ LOG_FILE: 'relative.log' })).toEqual({ LOG_FILE: 'relative.log' });
  });
});
