import { describe, expect, test } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '@tidings/contracts/errors/error-codes';
import { ApiError, errorDetail, errorMessage, fieldErrorMessage } from './api/problem.ts';
import { isAllowed, type Permission, PERMISSION_ROUTES } from './api/roles.ts';
import { formatJson, parseExactJson, stringifyExactJson } from './lib/exact-json.ts';
import { newId, readUuid, shortId } from './lib/ids.ts';
import { fitColumns, type ColumnLayout } from './ui/fit-columns.ts';
import { explain, explainDelivery, explainIngest, shownRemedy } from './labels/explain.ts';

describe('api/roles', () => {
  const PERMISSIONS = Object.keys(PERMISSION_ROUTES) as Permission[];

  test.each(PERMISSIONS)(
    '%s belongs to an existing route that permits owners and no viewers',
    (permission) => {
      expect([isAllowed('owner', permission), isAllowed('viewer', permission)]).toEqual([
        true,
        false,
      ]);
    },
  );

  test('marketers and developers have different permissions', () => {
    expect(PERMISSIONS.filter((permission) => isAllowed('marketer', permission))).toEqual([
      'controlCampaigns',
      'compose',
      'changeDrafts',
      'sendTests',
      'exportUsers',
      'changeSegments',
      'changeFunnels',
      'changeAutomations',
      'changeTemplates',
      'changeBlocks',
      'previewTemplates',
      'previewCampaigns',
      'readSentMessages',
      'testChannels',
      'changeSuppressions',
    ]);
    expect(isAllowed('developer', 'controlCampaigns')).toBe(false);
    expect(isAllowed('developer', 'changeTemplates')).toBe(false);
    expect(isAllowed('developer', 'previewTemplates')).toBe(true);
  });
});

describe('api/problem', () => {
  test.each([
    [{ code: 'required' }, 'Required.'],
    [{ code: 'wrong_type', expected: 'integer' }, 'Wrong type: expected a whole number.'],
    [
      { code: 'template_syntax', expected: 'a filter that exists', line: 3, column: 9 },
      'Line 3, column 9: The template cannot be read: expected a filter that exists.',
    ],
  ] as const)('%j', (fault, message) => {
    expect(fieldErrorMessage({ pointer: '/message/body', ...fault })).toBe(message);
  });

  const failed = (code: ErrorCode, detail: string) =>
    new ApiError({
      type: '',
      title: ERROR_CODES[code].title,
      status: 400,
      code,
      detail,
      requestId: '',
    });

  test('the code decides what a person reads; the text for programmers is a detail', () => {
    const error = failed('method_not_allowed', 'Use GET.');

    expect(errorMessage(error)).not.toContain('GET');
    expect(errorDetail(error)).toBe('Use GET.');
  });

  test('a text that is for people stays', () => {
    const error = failed('conflict', 'The campaign has begun.');

    expect([errorMessage(error), errorDetail(error)]).toEqual(['The campaign has begun.', null]);
  });
});

describe('lib/exact-json', () => {
  test('integers keep every digit, from the response to the screen and back', () => {
    const parsed = parseExactJson(
      '{"time":9223372036854775807,"safe":1795256516534,"price":9.9,"text":"9223372036854775807"}',
    ) as Record<string, unknown>;

    expect(parsed['time']).toBe(9_223_372_036_854_775_807n);
    expect(parsed['safe']).toBe(1_795_256_516_534);
    expect(parsed['text']).toBe('9223372036854775807');
    expect(formatJson(parsed)).toContain('"time": 9223372036854775807');
    expect(stringifyExactJson(parsed)).toBe(
      '{"time":9223372036854775807,"safe":1795256516534,"price":9.9,"text":"9223372036854775807"}',
    );
  });

  test('a double with many digits stays a double', () => {
    expect(parseExactJson('{"d":1.2345678901234567,"e":1e300}')).toEqual({
      d: 1.2345678901234567,
      e: 1e300,
    });
  });

  test('formatted JSON parses to the same value', () => {
    const value = { empty: {}, list: [], deep: [{ a: [null, true, 'x"y'] }], __proto__: null };

    expect(JSON.parse(formatJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
  });
});

describe('lib/ids', () => {
  const ID = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';

  test.each([
    ['unchanged', ID],
    ['in capitals', ID.toUpperCase()],
    ['with spaces around it', `  \t${ID}\n`],
    ['with spaces in it', '01a1fda0 84a5 72c8 802b 8cde abd1 34bc'],
    ['without hyphens', ID.replaceAll('-', '')],
    ['in quotes and braces', `"{${ID}}"`],
    ['inside a URL', `https://tidings.example/api/v1/campaigns/${ID}?limit=1`],
    ['after a word that ends like an id', `face ${ID}`],
  ])('an id is recognised %s', (_how, text) => {
    expect(readUuid(text)).toBe(ID);
  });

  test.each(['', 'ada', ID.slice(1), '01a1fda0-84a5-72c8-802b-8cdeabd134bg'])(
    '"%s" is not an id',
    (text) => {
      expect(readUuid(text)).toBeNull();
    },
  );

  test('a short id is the end of the id', () => {
    expect(shortId(ID)).toBe('…abd134bc');
    expect(shortId('m1')).toBe('m1');
  });

  test('new ids have 32 hex digits and are unique', () => {
    const ids = Array.from({ length: 1_000 }, newId);

    expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(1_000);
  });
});

describe('ui/fit-columns', () => {
  type Named = ColumnLayout & { readonly name: string };
  const COLUMNS: readonly Named[] = [
    { name: 'title' },
    { name: 'status', width: '9rem' },
    { name: 'bar', width: '14rem', isMinor: true },
    { name: 'rate', width: '9rem' },
    { name: 'created', width: '10rem', isMinor: true },
    { name: 'source', width: '7rem', isMinor: true },
  ];
  const namesAt = (widthRem: number, columns = COLUMNS) =>
    fitColumns(columns, widthRem).map(({ name }) => name);

  test('minor columns are left out from the last to the first until the others fit', () => {
    expect(namesAt(61)).toEqual(['title', 'status', 'bar', 'rate', 'created', 'source']);
    expect(namesAt(60)).toEqual(['title', 'status', 'bar', 'rate', 'created']);
    expect(namesAt(53)).toEqual(['title', 'status', 'bar', 'rate']);
    expect(namesAt(43)).toEqual(['title', 'status', 'rate']);
  });

  test('other columns stay at any width', () => {
    expect(namesAt(1)).toEqual(['title', 'status', 'rate']);
  });

  test('columns without a width need 12 rem (first), 11 rem (sentences) or 9 rem (other)', () => {
    const texts: readonly Named[] = [
      { name: 'id' },
      { name: 'why', hasOwnLine: true },
      { name: 'code' },
      { name: 'at', width: '10rem', isMinor: true },
    ];

    expect(namesAt(42, texts)).toEqual(['id', 'why', 'code', 'at']);
    expect(namesAt(41.5, texts)).toEqual(['id', 'why', 'code']);
  });
});

describe('labels/explain', () => {
  test('the same code has different explanations in different places', () => {
    expect(explainIngest('rate_limited').summary).toBe('Too many requests.');
    expect(explainDelivery('rate_limited').summary).toContain('provider');
  });

  test('an unknown code is shown as readable words', () => {
    expect(explainDelivery('sun_flare').summary).toBe('Sun flare.');
    expect(explainIngest('sun_flare').summary).toBe('Sun flare.');
  });

  test('no remedy is shown if no action is needed', () => {
    expect(shownRemedy(explain('deliveryState', 'sent'))).toBeNull();
    expect(shownRemedy(explainDelivery('unknown_user'))).toMatch(/^Register the user/);
  });
});
