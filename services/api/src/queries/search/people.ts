import { findPeople } from '../users/find-people.ts';
import type { Search } from './question.ts';

/** Registered users, best matches first. */
export const searchUsers: Search =
  ({ uuid, text, ...question }) =>
  async (sql) => {
    const people = await findPeople(sql, { ...question, text: uuid ?? text });
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
