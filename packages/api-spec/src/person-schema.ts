import { Type, type Static } from 'typebox';
import { CustomUserId, NullableString } from './schemas.ts';

/** What people recognise a person by. */
export const personFields = {
  firstName: NullableString,
  lastName: NullableString,
  email: NullableString,
  phoneNumber: NullableString,
};

/** A registered user in a list of people. */
export const PersonSchema = Type.Object(
  { customUserId: CustomUserId, ...personFields },
  { title: 'Person' },
);

export type Person = Static<typeof PersonSchema>;

export const PERSON_EXAMPLE = {
  customUserId: 'ada',
  firstName: 'Ada',
  lastName: null,
  email: 'ada@example.com',
  phoneNumber: null,
};
