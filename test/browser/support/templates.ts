import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { Template, TemplatePreview } from '@tidings/web/src/api/types.ts';
import { channels } from './composing.ts';
import type { Answer, Answers, Call } from './answer-calls.ts';

export const list = (...items: readonly unknown[]): Answer => ({
  json: { items, nextCursor: null },
});
export const problem = (status: number, error?: FieldError): Answer => ({
  status,
  json: {
    type: 'about:blank',
    title: 'It failed',
    detail: `It failed with ${status}.`,
    status,
    code: status === 409 ? 'conflict' : status === 404 ? 'not_found' : 'validation_failed',
    requestId: 'r',
    ...(error !== undefined && { errors: [error] }),
  },
});
export const stored: Template = {
  slug: 'welcome',
  name: 'Welcome',
  channel: 'EMAIL',
  message: { title: 'Hello {{ user.firstName }}', body: '<p>Hello</p>' },
  variants: [],
  blocks: [],
  version: 3,
  createdAt: 1,
  updatedAt: 1,
  updatedBy: 'member:mia@shop.example',
};
export const german = {
  name: 'German',
  condition: { field: 'country', is: 'DE' },
  message: { title: 'Hallo', body: '<p>Hallo</p>' },
} as const;
const { slug: _slug, updatedAt: _at, updatedBy, ...content } = stored;
const versions = list(
  { ...content, createdBy: updatedBy },
  {
    ...content,
    version: 2,
    name: 'Old',
    message: { title: 'Old', body: 'Old' },
    createdBy: updatedBy,
  },
);
const sms: Template = {
  ...stored,
  slug: 'code',
  name: 'Code',
  channel: 'SMS',
  variants: [],
};
export const preview = (answer: Partial<TemplatePreview> = {}): Answer => ({
  json: { variables: [{ name: 'user.firstName', isRequired: true }], warnings: [], ...answer },
});
export const TEMPLATE_ANSWERS: Answers = {
  'GET templates': list(stored, sms, { ...stored, slug: 'short', name: 'Short one' }),
  'GET templates/welcome': { json: stored },
  'GET templates/welcome/versions': versions,
  'GET templates/short/versions': versions,
  'GET templates/code/versions': list({ ...content, channel: 'SMS', createdBy: updatedBy }),
  'GET segments': list(),
  'GET definitions': list(),
  'GET channels': channels('ready'),
  'POST templates/preview': preview(),
};
/** A service that finds one fault, and renders for ada and bob. */
export function previewing({ body }: Call): Answer {
  const { message, customUserId } = body as {
    readonly message: { readonly title?: string };
    readonly customUserId?: string;
  };
  if (message.title?.includes('upper') === true)
    return problem(400, {
      pointer: '/message/title',
      code: 'template_syntax',
      expected: 'a filter that exists',
      line: 1,
      column: 7,
    });
  if (customUserId === 'ada')
    return preview({ variant: null, message: { title: 'Hello ADA', body: '<p>Hello</p>' } });
  if (customUserId === 'bob')
    return preview({
      variant: null,
      fault: { code: 'missing_variable', detail: 'user.firstName is missing' },
    });
  return customUserId === undefined ? preview() : problem(404);
}
