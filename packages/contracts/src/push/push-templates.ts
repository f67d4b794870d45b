import { Type } from 'typebox';
import { LIMITS } from '../limits.ts';
import { SLUG_FORM } from '../slug.ts';

/** A template, or one of its versions: `welcome`, `welcome@3`. */
export const TEMPLATE_NAME = {
  pattern: `^${SLUG_FORM}(?:@[1-9][0-9]{0,8})?$`,
  description: 'the slug of a template, with @ and a version or without',
} as const;

/** One of the templates that a push splits its recipients between. */
export type PushShare = { readonly template: string; readonly share: number };

/** Fields of a push whose message differs with the user. `null` counts as absent. */
export type PushTemplateFields = {
  readonly template?: string | null;
  readonly split?: readonly PushShare[] | null;
  readonly personalize?: boolean | null;
};

const split = {
  minItems: 2,
  maxItems: LIMITS.splitTemplatesMax,
  items: {
    type: 'object',
    required: ['template', 'share'],
    properties: {
      template: { type: 'string', ...TEMPLATE_NAME },
      share: { type: 'integer', minimum: 1, maximum: LIMITS.splitShareMax },
    },
    additionalProperties: false,
  },
} as const;

/** Their schemas. */
export const PUSH_TEMPLATE_FIELDS = {
  template: Type.Optional(
    Type.Unsafe<PushTemplateFields['template']>({ type: ['string', 'null'], ...TEMPLATE_NAME }),
  ),
  split: Type.Optional(
    Type.Unsafe<PushTemplateFields['split']>({ type: ['array', 'null'], ...split }),
  ),
  personalize: Type.Optional(
    Type.Unsafe<PushTemplateFields['personalize']>({ type: ['boolean', 'null'] }),
  ),
} as const;
