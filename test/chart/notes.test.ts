import { expect, test } from '@jest/globals';
import { notesOf, readCases, type Values } from './support/helm.ts';

const notes = (name: string, over?: Values): string => notesOf(String(readCases().get(name)), over);

test.each(['evaluation', 'production'])(
  'whoever installs with the values of %s is told how the first owner comes in, and to the first application',
  (name) => {
    expect(notes(name)).toContain(
      '  kubectl -n trial exec deployment/try-tidings-api -- node deploy/install/src/setup-link.ts\n',
    );
    expect(notes(name)).toContain(
      '  kubectl -n trial exec deployment/try-tidings-api -- node deploy/install/src/make-application.ts "My application"\n',
    );
  },
);

test('behind a front door the first call goes to its address', () => {
  expect(notes('production')).toContain('curl -s https://tidings.example/ -H');
  expect(notes('production')).not.toContain('port-forward');
});

test('without one it goes through a port-forward, and the link of the first owner leads to that of the dashboard', () => {
  expect(notes('evaluation')).toContain('port-forward service/try-tidings-gateway 8081:80');
  expect(notes('evaluation')).toContain('curl -s http://localhost:8081/ -H');
  // Where PUBLIC_BASE_URL of the evaluation, and so the link, leads.
  expect(notes('evaluation')).toContain('port-forward service/try-tidings-api 8080:80');
});

test.each<[string, Values, boolean]>([
  ['the controller ends TLS', {}, false],
  ['something before the controller ends TLS', { ingress: { tls: { enabled: false } } }, true],
  ['plain HTTP is taken', { ingress: { tls: { enabled: false } }, httpsOnly: false }, false],
])('where %s, whoever installs is told of X-Forwarded-Proto: %#', (_where, over, isTold) => {
  expect(notes('production', over).includes('must pass on the X-Forwarded-Proto')).toBe(isTold);
});
