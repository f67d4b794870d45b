import { findPeople } from '../users/find-people.ts';
import { withoutMarks } from './pasted-id.ts';
import type { Search } from './question.ts';

/** Registered users, best matches first. */
export const searchUsers: Search =
  ({ uuid, text, ...question }) =>
  async (sql) => {
    // A customUserId may be a UUID in a writing of its own.
    const asked = { ...question, uuid, text: uuid === null ? text : withoutMarks(text) };
    const people = await findPeople(sql, asked);
    return {
      items: people.map((person) => {
        const name = [person.first_name, person.last_name].filter(Boolean).join(' ').trim();
        return {
          kind: 'user',
          id: person.custom_user_id,
          title: name || person.custom_user_id,
          detail: person.email ?? person.phone_number,
        };
      }),
    };
  };
