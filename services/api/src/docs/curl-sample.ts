import type { Operation, Parameter } from './openapi-types.ts';

/** Values of path parameters that the bodies of the samples and the guides use too. */
const PATH_VALUES: Readonly<Record<string, string>> = { customUserId: 'ada' };

export type Sample = {
  /** Names one of several bodies. */
  readonly name?: string;
  readonly command: string;
};

/**
 * A curl command for an operation, or one for each example of its body. Its address and credentials are shell variables: `$URL`, `$APP` (application id), `$KEY`
 * (Server key), `$CLIENT_KEY`, `$TOKEN` (administrator token). Ids that only the installation knows are variables too, as
 * `$CAMPAIGN_ID`.
 */
export function curlSamples(
  path: string,
  method: string,
  operation: Operation,
): readonly [Sample, ...Sample[]] {
  const { example, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
  const buildCommand = (value: unknown): string =>
    commandFor(path, method.toUpperCase(), {
      operation,
      body: value === undefined ? undefined : JSON.stringify(value, null, 2),
    });
  const [first, ...others] = Object.entries(examples).map(([name, { value }]) => ({
    name,
    command: buildCommand(value),
  }));
  return first === undefined ? [{ command: buildCommand(example) }] : [first, ...others];
}

function commandFor(
  path: string,
  verb: string,
  { operation, body }: { readonly operation: Operation; readonly body: string | undefined },
): string {
  const usual = body === undefined ? 'GET' : 'POST';
  const flags = [
    '-s',
    ...(isStream(operation) ? ['-N'] : []),
    ...(isRedirect(operation) ? ['-i'] : []),
    ...(verb === usual ? [] : [`-X ${verb}`]),
  ];
  return [
    `curl ${flags.join(' ')} "$URL${filled(path, operation)}"`,
    ...listCredentials(path, verb, operation),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function isStream({ responses }: Operation): boolean {
  return Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content);
}

function isRedirect({ responses }: Operation): boolean {
  return '302' in responses;
}

/** The path and its required query, with values. */
function filled(path: string, { parameters = [] }: Operation): string {
  const withPath = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const parameter = parameters.find((candidate) => candidate.name === name);
    return PATH_VALUES[name] ?? sampleValue(name, parameter);
  });
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map((parameter) => `${parameter.name}=${sampleValue(parameter.name, parameter)}`);
  return query.length === 0 ? withPath : `${withPath}?${query.join('&')}`;
}

function sampleValue(name: string, parameter: Parameter | undefined): string {
  const { enum: values, type, minimum } = parameter?.schema ?? {};
  if (Array.isArray(values)) return String(values[0]);
  if (type === 'integer') return String(minimum ?? 0);
  return `$${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The headers of the first way to authenticate. */
function listCredentials(path: string, verb: string, { security = [] }: Operation): string[] {
  const [first = {}] = security;
  const names = Object.keys(first);
  // These sign in: the other samples of sessions read the cookie from here.
  if (names.length === 0 && verb === 'POST' && path.startsWith('/api/v1/session'))
    return ['-c cookies.txt'];
  return names.flatMap((name) => {
    switch (name) {
      case 'applicationId':
        return ['-H "X-Application-Id: $APP"'];
      case 'apiKey':
        return [`-H "X-API-Key: ${path.startsWith('/sdk/') ? '$CLIENT_KEY' : '$KEY'}"`];
      case 'administratorToken':
        return ['-H "Authorization: Bearer $TOKEN"'];
      case 'session':
        return [
          '-b cookies.txt',
          ...(verb === 'GET' ? [] : ['-H "X-CSRF-Token: $CSRF_TOKEN"', '-H "Origin: $URL"']),
        ];
      default:
        throw new Error(`no sample for the security scheme ${name}`);
    }
  });
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
