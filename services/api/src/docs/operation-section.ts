import { curlSamples, type Sample } from './curl-sample.ts';
import { html, type Html } from './html.ts';
import { renderInline } from './markdown.ts';
import type { Answer, Media, OpenApi, Operation, Parameter } from './openapi-types.ts';
import { renderBounds, schemaFields, describeType } from './schema-fields.ts';

/** One method of one path, with the other path that is the very same. */
export type ListedOperation = {
  readonly method: string;
  readonly path: string;
  readonly alias?: string;
  readonly operation: Operation;
};

const CREDENTIALS: Readonly<Record<string, string>> = {
  apiKey: 'Server key',
  administratorToken: 'administrator token',
  session: 'session of the dashboard',
};

/** Operations of the document in its order, without preflights. An alias is part of what it names. */
export function listOperations({ paths }: OpenApi): readonly ListedOperation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'options')
      .map(([method, operation]) => ({ method, path, operation })),
  );
  const ids = new Set(all.map(({ operation }) => operation.operationId));
  const isAlias = ({ operation: { operationId } }: ListedOperation): boolean =>
    operationId.endsWith('V1') && ids.has(operationId.slice(0, -2));
  return all
    .filter((listed) => !isAlias(listed))
    .map((listed) => {
      const alias = all.find(
        ({ operation }) => operation.operationId === `${listed.operation.operationId}V1`,
      );
      return alias === undefined ? listed : { ...listed, alias: alias.path };
    });
}

/** Everything about one operation: what it does, who may call it, fields, answers, a sample. */
export function operationSection(listed: ListedOperation, document: OpenApi): Html {
  const { method, path, alias, operation } = listed;
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
    <h2 id="${operationId}-title"><a href="#${operationId}">${renderInline(summary)}</a></h2>
    <p class="address">
      ${renderAddress(method, path)}${alias === undefined ? undefined : html` <span class="soft">also</span> <code>${alias}</code>`}
    </p>
    <div class="columns">
      <div>
        ${description === undefined ? undefined : html`<p>${renderInline(description)}</p>`}
        <p class="access"><b>Access:</b> ${describeAccess(path, operation)}</p>
        ${renderParameters(parameters, document)}
        ${body === undefined ? undefined : renderBody(body, document)}
        <h3>Answers</h3>
        ${Object.entries(responses).map(([status, answer]) => renderAnswer(status, answer, document))}
      </div>
      <div class="samples">
        ${curlSamples(path, method, operation).map((sample, index) => curlBlock(sample, index === 0))}
        ${renderExample(responses)}
      </div>
    </div>
  </section>`;
}

export function renderAddress(method: string, path: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>`;
}

/** Code with a button that copies it. */
export function renderSample(code: string, label: string, kind: string): Html {
  return html`<div class="code ${kind}">
    <button type="button" class="copy">Copy</button>
    <pre tabindex="0" aria-label="${label}"><code>${code}</code></pre>
  </div>`;
}

/** One of several samples is opened by its name; the first is open. */
function curlBlock({ name, command }: Sample, isFirst: boolean): Html {
  const sample = renderSample(command, name === undefined ? 'curl' : `curl, ${name}`, 'sample');
  if (name === undefined) return sample;
  return isFirst
    ? html`<details class="variant" open>
        <summary>${name}</summary>
        ${sample}
      </details>`
    : html`<details class="variant">
        <summary>${name}</summary>
        ${sample}
      </details>`;
}

function describeAccess(path: string, { security = [] }: Operation): string {
  if (security.length === 0) return 'anyone';
  if (path.startsWith('/sdk/')) return 'Client key';
  const names = security.flatMap((way) =>
    Object.keys(way).flatMap((name) => CREDENTIALS[name] ?? []),
  );
  return names.join(', or ');
}

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const;

function renderParameters(
  parameters: readonly Parameter[],
  { components }: OpenApi,
): readonly Html[] {
  return PLACES.flatMap(([place, title]) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) return [];
    const rows = here.map(({ name, schema = {}, description, required }) => {
      const text = description ?? schema.description;
      return html`<li>
        <code class="name">${name}</code>
        <span class="type">${describeType(schema, components.schemas)}</span>
        ${required === true ? html`<span class="required">required</span>` : undefined}
        ${text === undefined ? undefined : html`<span class="description">${renderInline(text)}</span>`}
        ${renderBounds(schema)}
      </li>`;
    });
    return [
      html`<h3>${title}</h3>
        <ul class="fields">
          ${rows}
        </ul>`,
    ];
  });
}

function renderBody({ schema = {} }: Media, { components }: OpenApi): Html {
  const fields = schemaFields(schema, components.schemas);
  return html`<h3>Body</h3>
    ${fields ?? html`<p class="type">${describeType(schema, components.schemas)}</p>`}`;
}

/** A success with its fields; an error by its codes alone, since all have one body. */
function renderAnswer(status: string, answer: Answer, { components }: OpenApi): Html {
  const name = answer.$ref?.split('/').at(-1);
  const { description = '', content = {} } =
    name === undefined ? answer : (components.responses[name] ?? answer);
  const schema = Number(status) < 400 ? content['application/json']?.schema : undefined;
  const fields = schema && schemaFields(schema, components.schemas);
  return html`<div class="answer">
    <p><span class="status s${status.slice(0, 1)}">${status}</span> ${renderInline(description)}</p>
    ${
      fields === undefined
        ? undefined
        : html`<details>
            <summary>Fields</summary>
            ${fields}
          </details>`
    }
  </div>`;
}

function renderExample(responses: Operation['responses']): Html | undefined {
  const [status, success] = Object.entries(responses).find(([code]) => Number(code) < 400) ?? [];
  const [type, media] = Object.entries(success?.content ?? {})[0] ?? [];
  if (status === undefined || type === undefined || media?.example === undefined) return undefined;
  const { example } = media;
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return html`<p class="caption">${status}, <code>${type}</code></p>
    ${renderSample(text, `Answer ${status}`, 'example')}`;
}
