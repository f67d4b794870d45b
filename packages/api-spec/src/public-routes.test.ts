import { describe, expect, test } from '@jest/globals';
import { createRouter, PUBLIC_ROUTES } from './public-routes.ts';

describe('the public address', () => {
  const serviceOf = createRouter(PUBLIC_ROUTES);

  test.each([
    ['/', 'gateway'],
    ['/?a=/api', 'gateway'],
    ['/push', 'gateway'],
    ['/v1/push', 'gateway'],
    ['/nowhere', 'gateway'],
    ['/apis', 'gateway'],
    ['/API/v1', 'gateway'],
    ['/api/v1/campaigns?limit=1', 'api'],
    ['/dashboard', 'api'],
    ['/dashboard/', 'api'],
    ['/openapi.json', 'api'],
    ['/docs', 'api'],
    ['/docs/api/push', 'api'],
    ['/docsx', 'gateway'],
    ['/cb/email/dsn', 'client-api'],
    ['/t/o/token', 'client-api'],
    ['/t/c/token', 'client-api'],
    ['/u/token', 'client-api'],
    ['/users', 'gateway'],
    ['/openapi.jsonx', 'gateway'],
  ])('%s goes to %s', (url, service) => {
    expect(serviceOf(url)).toBe(service);
  });

  test('the longest route wins, in any table order', () => {
    const table = [
      { path: '/a/b', service: 'long' },
      { path: '/', service: 'any' },
      { path: '/a', service: 'short' },
    ];

    expect(createRouter(table)('/a/b/c')).toBe('long');
    expect(createRouter(table.toReversed())('/a/b/c')).toBe('long');
  });
});
