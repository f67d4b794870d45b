import { copyOut } from '@tidings/postgres/copy-out';
import type { Sql } from '@tidings/postgres/database';
import type { Memory } from '../memory.ts';
import { createPersonIds, type PersonIds } from '../person-ids.ts';

/** SQL: users `u`, and a value of each as text. */
export type AskedPersons = {
  readonly with: string;
  readonly from: string;
  readonly where: string;
  readonly value: string | null;
};

const ID_BYTES = 16;

/** Whom a stored user belongs to. */
export type MergedUsers = {
  /** Where the id of the person is: in `bytes`, or that of whom it was merged into. */
  resolve(bytes: Buffer, offset: number): { readonly bytes: Buffer; readonly offset: number };
};

/** Users that were merged into others. @param application SQL: the id of theirs */
export async function readMergedUsers(
  sql: Sql,
  application: string,
  memory: Memory,
): Promise<MergedUsers> {
  const merged = createPersonIds(memory);
  const persons = createPersonIds(memory);
  const personOf: number[] = [];
  await copyOut(
    sql,
    `select u.id, u.merged_into from users u
     where u.application_id = ${application} and u.merged_into is not null`,
    {
      fields: 2,
      onRow: ({ bytes, offsets }) => {
        memory.take(Float64Array.BYTES_PER_ELEMENT);
        personOf[merged.add(bytes, offsets[0] as number)] = persons.add(
          bytes,
          offsets[1] as number,
        );
      },
    },
  );
  const written = Buffer.alloc(ID_BYTES);
  const own: { bytes: Buffer; offset: number } = { bytes: written, offset: 0 };
  return {
    resolve(bytes, offset) {
      const index = merged.size === 0 ? -1 : merged.find(bytes, offset);
      if (index < 0) {
        own.bytes = bytes;
        own.offset = offset;
      } else {
        persons.write(personOf[index] as number, written, 0);
        own.bytes = written;
        own.offset = 0;
      }
      return own;
    },
  };
}

/**
 * Visits the persons that a question is about, of those who have numbers.
 */
export async function visitPersons(
  sql: Sql,
  persons: PersonIds,
  {
    with: begin,
    from,
    where,
    value,
    visit,
  }: AskedPersons & { readonly visit: (person: number, value: string | null) => void },
): Promise<void> {
  await copyOut(sql, `${begin} select u.id, ${value ?? 'null'}::text from ${from} where ${where}`, {
    fields: 2,
    onRow: ({ bytes, offsets, lengths }) => {
      const person = persons.find(bytes, offsets[0] as number);
      if (person < 0) return;
      const length = lengths[1] as number;
      const at = offsets[1] as number;
      visit(person, length < 0 ? null : bytes.toString('utf8', at, at + length));
    },
  });
}
