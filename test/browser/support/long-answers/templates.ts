import type {
  Block,
  BlockVersion,
  Template,
  TemplatePreview,
  TemplateVersion,
} from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import { condition } from './segments.ts';
import { AT, LONG, list, one } from './values.ts';

const { email, words } = LONG;
const templateVersion: TemplateVersion = {
  version: 12_345,
  name: words,
  channel: 'EMAIL',
  message: { title: words, body: `<p>${words}</p>` },
  variants: [{ name: words, condition, message: { title: words, body: words } }],
  blocks: [{ slug: LONG.templateSlug, version: 12_345 }],
  createdAt: AT,
  createdBy: `member:${email}`,
};
const { createdBy: _by, ...ofTemplate } = templateVersion;
const template: Template = {
  ...ofTemplate,
  slug: LONG.templateSlug,
  updatedAt: AT,
  updatedBy: `member:${email}`,
};
const shortTemplate: Template = { ...template, slug: 'short', name: 'Short', variants: [] };
const blockVersion: BlockVersion = {
  version: 12_345,
  name: words,
  html: `<p>${words}</p>`,
  text: words,
  createdAt: AT,
  createdBy: `member:${email}`,
};
const block: Block = {
  ...blockVersion,
  slug: LONG.templateSlug,
  updatedAt: AT,
  updatedBy: `member:${email}`,
  usedBy: [LONG.templateSlug, 'short'],
};
const templatePreview: TemplatePreview = {
  variables: [
    { name: `user.customAttributes.${words}`, isRequired: true },
    { name: 'user.firstName', isRequired: false },
  ],
  variant: words,
  fault: { code: 'missing_variable', detail: `user.customAttributes.${words} is missing` },
  warnings: [
    {
      code: 'beyond_retention',
      pointer: '/variants/0/condition/all/3/within',
      detail: 'The application keeps events for 30 days.',
    },
  ],
};

export const TEMPLATE_ANSWERS: Answers = {
  'GET templates': list(template, shortTemplate),
  [`GET templates/${LONG.templateSlug}`]: one(template),
  [`GET templates/${LONG.templateSlug}/versions`]: list(templateVersion),
  'GET blocks': list(block),
  [`GET blocks/${LONG.templateSlug}`]: one(block),
  [`GET blocks/${LONG.templateSlug}/versions`]: list(blockVersion),
  'POST templates/preview': one(templatePreview),
};
