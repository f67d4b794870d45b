import { MEMBER_ROLES, PASSWORD_CHARS } from '@tidings/contracts/members';
import { STORABLE_LINE } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { oneOf } from './schemas.ts';

const EMAIL_CHARS_MAX = 254;
const NAME_CHARS_MAX = 200;

/** The fields of a member, for every request that sets them. */
export const MEMBER_FIELDS = {
  email: Type.String({
    maxLength: EMAIL_CHARS_MAX,
    pattern: '^[^\\s@\\u0000-\\u001f\\ud800-\\udfff]+@[^\\s@\\u0000-\\u001f\\ud800-\\udfff]+$',
    description: 'an e-mail address',
  }),
  name: Type.String({
    minLength: 1,
    maxLength: NAME_CHARS_MAX,
    pattern: STORABLE_LINE,
    description: 'one line of text',
  }),
  role: oneOf(MEMBER_ROLES),
  password: Type.String({
    minLength: PASSWORD_CHARS.min,
    maxLength: PASSWORD_CHARS.max,
    description: `a password of ${PASSWORD_CHARS.min} characters or more`,
  }),
};
