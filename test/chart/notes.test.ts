import { expect, test } from '@jest/globals';
import { renderNotes, readCases, type Values } from '@tidings/tools/helm';

const notes = (name: string, over?: Values): string =>
  renderNotes(String(readCases().get(name)), over);

test.each(['evaluation', 'production'])(
  'with the values of %s, the notes show how to create the setup link and the first application',
  (name) => {
    expect(notes(name)).toContain(
      '  kubectl -n trial exec deployment/try-tidings-api -- node deploy/install/src/setup-link.ts\n',
    );
    expect(notes(name)).toContain(
      '  kubectl -n trial exec deployment/try-tidings-api -- node deploy/install/src/make-application.ts "My application"\n',
    );
  },
);

test('with an Ingress the first call goes to the public URL', () => {
  expect(notes('production')).toContain('curl -s https://tidings.example/ -H');
  expect(notes('production')).not.toContain('port-forward');
});

test('without one the notes use port forwards; that of the API serves the setup link', () => {
  expect(notes('evaluation')).toContain('port-forward service/try-tidings-gateway 8081:80');
  expect(notes('evaluation')).toContain('curl -s http://localhost:8081/ -H');
  // PUBLIC_BASE_URL of the evaluation, and so of the setup link.
  expect(notes('evaluation')).toContain('port-forward service/try-tidings-api 8080:80');
});

test.each<[string, Values, boolean]>([
  ['the controller terminates TLS', {}, false],
  ['TLS ends before the controller', { ingress: { tls: { enabled: false } } }, true],
  ['plain HTTP is allowed', { ingress: { tls: { enabled: false } }, httpsOnly: false }, false],
])('if %s, the notes mention X-Forwarded-Proto as needed: %#', (_where, over, isTold) => {
  expect(notes('production', over).includes('must pass on the X-Forwarded-Proto')).toBe(isTold);
});
