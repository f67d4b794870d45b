import { expect, test } from '@jest/globals';
import { createLogger } from './logger.ts';

function recordingLogger(): {
  readonly logger: ReturnType<typeof createLogger>;
  readonly lines: string[];
} {
  const lines: string[] = [];
  return {
    logger: createLogger('example', 'info', { write: (line: string) => void lines.push(line) }),
    lines,
  };
}

test('a line is JSON with the level by name, the service, the time and the facts', () => {
  const { logger, lines } = recordingLogger();

  logger.info({ campaignId: 'c1', attempts: 2 }, 'delivery sent');
  logger.debug('not shown');

  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      level: 'info',
      at: expect.any(Number),
      service: 'example',
      campaignId: 'c1',
      attempts: 2,
      msg: 'delivery sent',
    },
  ]);
});

test.each([
  'key',
  'apiKey',
  'token',
  'authorization',
  'password',
  'secret',
  'to',
  'address',
  'email',
  'phoneNumber',
  'body',
  'title',
  'headers',
  'recipients',
])('%s is hidden at the top of a line and two levels below a declared field', (field) => {
  const { logger, lines } = recordingLogger();

  logger.warn(
    {
      [field]: 'canary',
      rows: { [field]: 'canary', smtp: { [field]: ['canary'] } },
      problems: [{ [field]: 'canary' }],
    },
    'hidden',
  );

  expect(lines.join()).not.toContain('canary');
  expect(lines.join()).toContain('[redacted]');
});

test('a field that is not declared has no value, wherever it comes from', () => {
  const { logger, lines } = recordingLogger();

  logger.warn(
    { applicationId: 'a1', customName: 'canary', profile: { city: 'canary' } },
    'dropped',
  );

  expect(JSON.parse(lines.join(''))).toMatchObject({
    applicationId: 'a1',
    customName: '[dropped]',
    profile: '[dropped]',
  });
});

test('an error shows its message and stack, but not the row that a database error repeats', () => {
  const { logger, lines } = recordingLogger();
  const error = Object.assign(new Error('duplicate key', { cause: new Error('the reason') }), {
    code: '23505',
    detail: 'Key (email)=(canary@example.com) already exists.',
    where: 'COPY users, line 1: "canary"',
  });

  logger.error({ err: error }, 'store failed');

  expect(lines.join()).not.toContain('canary');
  expect(lines.join()).toMatch(/duplicate key.*23505.*the reason/);
});
