import { Type } from 'typebox';
import { Slug } from './schemas.ts';

/** More are not listed. */
export const USING_CAMPAIGNS_MAX = 100;
const Named = Type.Object({ slug: Slug, name: Type.String() });

/** What names something, so that it cannot be deleted. */
export const usesAnswer = <Title extends string>(title: Title) =>
  ({
    status: 200,
    description: 'What names it.',
    schema: Type.Object(
      {
        segments: Type.Array(Named, { description: 'Segments whose conditions name it.' }),
        templates: Type.Array(Named, { description: 'Templates with a variant that names it.' }),
        automations: Type.Array(Named, {
          description: 'Automations with a condition that names it.',
        }),
        campaigns: Type.Array(Type.String({ format: 'uuid' }), {
          description: `Campaigns whose users are not read yet, at most ${USING_CAMPAIGNS_MAX}.`,
        }),
      },
      { title },
    ),
    example: {
      segments: [{ slug: 'lost-customers', name: 'Lost customers' }],
      templates: [{ slug: 'welcome', name: 'Welcome' }],
      automations: [{ slug: 'cart', name: 'Abandoned cart' }],
      campaigns: ['01a1fda0-84a5-72c8-802b-8cdeabd134bc'],
    },
  }) as const;
