import { LIMITS } from '@tidings/contracts/limits';
import { STORABLE, STORABLE_NOT_BLANK } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Instant, pageQuery, pageSchema, Slug } from '../schemas.ts';

const texts = {
  html: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'For HTML: bodies of IN_APP, ON_SITE and HTML e-mails.',
  }),
  text: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'For every other text. A text that is null cannot be used there.',
  }),
};
const version = {
  version: Type.Integer({ minimum: 1, description: 'Counts changes of name or texts.' }),
  name: Type.String(),
  ...texts,
  createdAt: Instant,
};
const by = Type.String({ description: 'The key, token or member that made the version.' });
const Block = Type.Object(
  {
    slug: Slug,
    ...version,
    updatedAt: Instant,
    updatedBy: by,
    usedBy: Type.Array(Slug, { description: 'Templates whose texts name it.' }),
  },
  { title: 'Block' },
);
const submittedText = Type.Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    minLength: 1,
    maxLength: LIMITS.blockCharsMax,
    pattern: STORABLE,
    description: 'Liquid, complete in itself, without blocks',
  }),
);

const TEXTS_EXAMPLE = {
  html: '<p>Shop Ltd, {{ user.city | default: "Berlin" }}. <a href="{{unsubscribeUrl}}">Unsubscribe</a></p>',
  text: 'Shop Ltd. Unsubscribe: {{unsubscribeUrl}}',
} as const;
const VERSION_EXAMPLE = {
  version: 2,
  name: 'Footer',
  ...TEXTS_EXAMPLE,
  createdAt: 1_795_256_400_000,
};
const BLOCK_EXAMPLE = {
  slug: 'footer',
  ...VERSION_EXAMPLE,
  updatedAt: 1_795_256_516_534,
  updatedBy: 'member:ada@example.com',
  usedBy: ['welcome'],
};
const page = <T>(item: T) => ({ items: [item], nextCursor: null });

const reading = { method: 'GET', access: 'reader' } as const;
const ofBlock = { ...reading, parameters: { slug: Slug }, errorStatuses: [404] } as const;
const changing = { access: 'application_administrator', parameters: { slug: Slug } } as const;

export const listBlocksEndpoint = endpoint({
  name: 'listBlocks',
  ...reading,
  path: 'blocks',
  summary: 'List blocks by slug',
  description: 'A page with more than 8 MiB ends early.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of blocks.',
    schema: pageSchema(Block),
    example: page(BLOCK_EXAMPLE),
  },
});

export const readBlockEndpoint = endpoint({
  name: 'readBlock',
  ...ofBlock,
  path: 'blocks/:slug',
  summary: 'Read a block',
  answer: { status: 200, description: 'It.', schema: Block, example: BLOCK_EXAMPLE },
});

export const writeBlockEndpoint = endpoint({
  name: 'writeBlock',
  ...changing,
  createsAtPath: true,
  method: 'PUT',
  path: 'blocks/:slug',
  summary: 'Create a block, or give it a new version',
  description:
    'Each template that names it gets a new version with it, in the same moment. 400 when one of them would be no valid template any more: nothing is changed. Equal content changes nothing. `expectedVersion` is the version that the caller has seen, 0 for none: 409 when the block has another one. 409 also beyond 100 blocks, and when the templates that name it have more than 16 MiB together.',
  body: Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: LIMITS.templateNameCharsMax,
        pattern: STORABLE_NOT_BLANK,
        description: 'text that is not blank',
      }),
      html: submittedText,
      text: submittedText,
      expectedVersion: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    },
    { additionalProperties: false },
  ),
  recorded: ['name'],
  bodyExample: { name: 'Footer', ...TEXTS_EXAMPLE, expectedVersion: 1 },
  answer: { status: 200, description: 'The block.', schema: Block, example: BLOCK_EXAMPLE },
  errorStatuses: [409],
});

export const deleteBlockEndpoint = endpoint({
  name: 'deleteBlock',
  ...changing,
  method: 'DELETE',
  path: 'blocks/:slug',
  summary: 'Delete a block',
  description:
    'Its versions stay, and `PUT` continues them. 409 when a template names it. Versions of templates that are no longer current keep its text.',
  answer: { status: 204, description: 'Deleted.' },
  errorStatuses: [404, 409],
});

export const listBlockVersionsEndpoint = endpoint({
  name: 'listBlockVersions',
  ...ofBlock,
  path: 'blocks/:slug/versions',
  summary: 'List the versions of a block, newest first, also of a deleted one',
  description: 'A page with more than 8 MiB ends early.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of versions.',
    schema: pageSchema(Type.Object({ ...version, createdBy: by }, { title: 'BlockVersion' })),
    example: page({ ...VERSION_EXAMPLE, createdBy: BLOCK_EXAMPLE.updatedBy }),
  },
});
