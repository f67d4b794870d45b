import { beforeAll, describe, expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { openApiDocument } from '@tidings/openapi/document';
import { createValidator } from '@tidings/validation';
import { spawnSync } from 'node:child_process';
import type { ApiDependencies } from '../dependencies.ts';
import { apiRoutes } from '../server.ts';
import { resolveReferences, type Json } from '../testing/references.ts';
import { curlSamples } from './curl-sample.ts';
import type { OpenApi, Operation } from './openapi-types.ts';
import { listOperations } from './operation-section.ts';

const document = JSON.parse(
  JSON.stringify(openApiDocument(apiRoutes({} as ApiDependencies))),
) as OpenApi;
const { paths } = resolveReferences(document as unknown as Json) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const samples = listOperations(document).flatMap(({ method, path, operation }) =>
  curlSamples(path, method, operation).map(({ name, command }) => ({
    method,
    path,
    command,
    name: [method.toUpperCase(), path, ...(name === undefined ? [] : [name])].join(' '),
  })),
);

const VARIABLES = {
  URL: 'https://tidings.example',
  APP: 'the-application',
  KEY: 'sk_key',
  CLIENT_KEY: 'ck_key',
  TOKEN: 'at_token',
  CSRF_TOKEN: 'csrf',
};

/** What a POSIX shell hands to curl for each sample: one run for all. */
function argumentsOf(commands: readonly string[]): readonly (readonly string[])[] {
  const script = `curl() { printf '%s\\0' "$@"; printf '\\1'; }\n${commands.join('\n')}\n`;
  const ids = Object.fromEntries(
    [...script.matchAll(/\$([A-Z_]+)/g)].map(([, name = '']) => [name, `the-${name}`]),
  );
  const { stdout, stderr, status } = spawnSync('/bin/sh', ['-u'], {
    input: script,
    encoding: 'utf8',
    env: { ...ids, ...VARIABLES },
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .split('\u0001')
    .slice(0, -1)
    .map((part) => part.split('\0').slice(0, -1));
}

type Call = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | undefined;
};

/** As curl reads its arguments. */
function callOf(args: readonly string[]): Call {
  const rest = [...args];
  const headers = new Headers();
  let method: string | undefined;
  let url: string | undefined;
  let body: string | undefined;
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '-X') method = rest.shift();
    else if (arg === '-d') body = rest.shift();
    else if (arg === '-c') rest.shift();
    else if (arg === '-b') headers.set('Cookie', rest.shift() ?? '');
    else if (arg === '-H') {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(rest.shift() ?? '') ?? [];
      headers.set(name, value);
    } else if (!arg.startsWith('-')) url = arg;
  }
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    url: new URL(url ?? ''),
    headers,
    body,
  };
}

const calls = new Map<string, Call>();
beforeAll(() => {
  const found = argumentsOf(samples.map(({ command }) => command));
  samples.forEach(({ name }, index) => calls.set(name, callOf(found[index] ?? [])));
});

describe.each(samples)('the sample of $name', ({ name, method, path }) => {
  const callIt = (): Call => {
    const call = calls.get(name);
    if (call === undefined) throw new Error('no sample');
    return call;
  };
  const shown = paths[path]?.[method];

  test('calls this method of this path, with all that it requires', () => {
    const call = callIt();
    const pattern = path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+');
    const required = (shown?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && parameter.required === true)
      .map((parameter) => parameter.name);

    expect(call.method).toBe(method.toUpperCase());
    expect(call.url.origin).toBe(VARIABLES.URL);
    expect(call.url.pathname).toMatch(new RegExp(`^${pattern}$`));
    expect([...call.url.searchParams.keys()]).toEqual(required);
  });

  test('sends a body that its schema takes, or none', () => {
    const { body, headers } = callIt();
    const media = shown?.requestBody?.content['application/json'];

    expect(body === undefined).toBe(media === undefined);
    expect(headers.get('Content-Type')).toBe(media === undefined ? null : 'application/json');
    if (media?.schema === undefined || body === undefined) return;
    const value = JSON.parse(body) as unknown;
    expect(createValidator(media.schema)(value)).toEqual({ ok: true, value });
  });

  test('has the credentials of one way to authenticate', () => {
    const { headers } = callIt();
    const ways = (shown?.security ?? []).map((way) => Object.keys(way).toSorted());
    const found = [
      ...(headers.get('Authorization') === `Bearer ${VARIABLES.TOKEN}`
        ? ['administratorToken']
        : []),
      ...([VARIABLES.KEY, VARIABLES.CLIENT_KEY].includes(headers.get('X-API-Key') ?? '')
        ? ['apiKey']
        : []),
      ...(headers.get('X-Application-Id') === VARIABLES.APP ? ['applicationId'] : []),
      ...(headers.has('Cookie') ? ['session'] : []),
    ];

    expect(ways.length === 0 ? [[]] : ways).toContainEqual(found);
  });
});

test('devices use a Client key, back ends a Server key', () => {
  expect(calls.get('GET /sdk/v1/config')?.headers.get('X-API-Key')).toBe(VARIABLES.CLIENT_KEY);
  expect(calls.get('POST /push SMS')?.headers.get('X-API-Key')).toBe(VARIABLES.KEY);
});

test('a push has a sample for each channel', () => {
  const channels = samples.flatMap(({ name }) => /^POST \/push (.+)$/.exec(name)?.[1] ?? []);

  expect(channels.toSorted()).toEqual([...CHANNELS].toSorted());
});

test('a quote in a body stays one', () => {
  const [{ command }] = curlSamples('/x', 'post', {
    operationId: 'x',
    tags: [],
    summary: '',
    requestBody: { content: { 'application/json': { example: { text: "it's $HOME `id`" } } } },
    responses: {},
  });

  expect(JSON.parse(callOf(argumentsOf([command])[0] ?? []).body ?? '')).toEqual({
    text: "it's $HOME `id`",
  });
});
