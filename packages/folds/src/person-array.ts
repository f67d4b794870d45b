import type { PersonIds } from './person-ids.ts';

const UUID_BYTES = 16;
const UUID_OID = 2950;
/** Number of dimensions, whether there are nulls, type; and of the dimension length and first index. */
const HEAD_BYTES = 20;
const EMPTY_BYTES = 12;

/** Some persons as a parameter `uuid[]` in the binary form of Postgres: 20 bytes each, and no text. */
export function personArray(persons: PersonIds, isIn: (person: number) => boolean): Buffer {
  let count = 0;
  for (let person = 0; person < persons.size; person += 1) if (isIn(person)) count += 1;
  const bytes = Buffer.alloc(
    count === 0 ? EMPTY_BYTES : HEAD_BYTES + count * (UUID_BYTES + Int32Array.BYTES_PER_ELEMENT),
  );
  bytes.writeInt32BE(count === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(UUID_OID, 8);
  if (count === 0) return bytes;
  bytes.writeInt32BE(count, 12);
  bytes.writeInt32BE(1, 16);
  let at = HEAD_BYTES;
  for (let person = 0; person < persons.size; person += 1) {
    if (!isIn(person)) continue;
    bytes.writeInt32BE(UUID_BYTES, at);
    persons.write(person, bytes, at + Int32Array.BYTES_PER_ELEMENT);
    at += Int32Array.BYTES_PER_ELEMENT + UUID_BYTES;
  }
  return bytes;
}
