import { Type } from 'typebox';

/** Beside a rendered message. */
export const IsHtmlMail = Type.Optional(
  Type.Boolean({
    description:
      'Of EMAIL: whether the body is sent as HTML, or as plain text. The texts of the template decide, and not the values.',
  }),
);
