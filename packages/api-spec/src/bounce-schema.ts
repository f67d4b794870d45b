import { BOUNCE_CLASSES, type Bounce } from '@tidings/contracts/push/bounces';
import { Type } from 'typebox';
import { oneOf } from './schemas.ts';

/** What the refusal of a mail server meant. */
export const BounceSchema = Type.Object(
  {
    class: oneOf(BOUNCE_CLASSES),
    evidence: Type.String({
      description: 'What decided: a status code, a phrase of the response, or both.',
    }),
  },
  { title: 'Bounce', description: 'EMAIL only: what the refusal of a mail server meant.' },
);

export const NullableBounce = Type.Unsafe<Bounce | null>({
  anyOf: [BounceSchema, { type: 'null' }],
});
