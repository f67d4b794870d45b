import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';

type Content = string | Buffer;
type KafkaRecord = {
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly key: Content | null;
  readonly value: Content | null;
  readonly headers: Readonly<Record<string, Content | readonly Content[]>>;
};
type Decoded = {
  readonly records: readonly {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: Readonly<Record<string, Buffer | readonly Buffer[]>>;
  }[];
};

/** kafkajs has no types for its internals. */
const inside = createRequire(import.meta.url);
const encode = inside('kafkajs/src/protocol/recordBatch/record/v0') as (
  record: KafkaRecord,
) => object & { readonly buffer: Buffer; size(): number };
const { RecordBatch } = inside('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch: (batch: object) => Promise<{ readonly buffer: Buffer }>;
};
const decode = inside('kafkajs/src/protocol/recordBatch/v0/decoder') as (
  decoder: object,
) => Promise<Decoded>;
const Decoder = inside('kafkajs/src/protocol/decoder') as new (buffer: Buffer) => object;

const BATCH_TIMESTAMP = 1_700_000_000_000;

/** A signed varint of 64 bits: Kafka's message format, "Record". */
function varint(value: number): Buffer {
  const bits = BigInt(value);
  let rest = BigInt.asUintN(64, (bits << 1n) ^ (bits >> 63n));
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

function sized(content: Content | null): Buffer {
  if (content === null) return varint(-1);
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(bytes.length), bytes]);
}

const headerPairs = ({ headers }: KafkaRecord): (readonly [string, Content])[] =>
  Object.entries(headers).flatMap(([name, values]) =>
    typeof values === 'string' || Buffer.isBuffer(values)
      ? [[name, values] as const]
      : values.map((value) => [name, value] as const),
  );

/** Each part by itself, as the format describes it. */
function bytesByFormat(record: KafkaRecord): Buffer {
  const pairs = headerPairs(record);
  const body = Buffer.concat([
    Buffer.of(0),
    varint(record.timestampDelta),
    varint(record.offsetDelta),
    sized(record.key),
    sized(record.value),
    varint(pairs.length),
    ...pairs.flatMap((pair) => pair.map(sized)),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

const text = fc.oneof(
  // Around the length from which texts are written by another way.
  fc.string({ minLength: 60, maxLength: 70 }),
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.string({ maxLength: 300 }),
  fc.constant('\ud800 half a pair'),
);
const bytes = fc
  .oneof(
    fc.nat(3_000),
    // Around the size from which a batch refers to a value.
    fc.integer({ min: 1_020, max: 1_028 }),
  )
  .map((length) => Buffer.alloc(length, `${length} bytes \xff`, 'latin1'));
const content = fc.oneof(text, bytes, fc.constant(''), fc.constant(Buffer.alloc(0)));
const nullable = fc.option(content, { nil: null });
const int32Edges = [63, 64, -64, -65, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1];
const recordWith = (name: fc.Arbitrary<string>): fc.Arbitrary<KafkaRecord> =>
  fc.record({
    offsetDelta: fc.nat(),
    timestampDelta: fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(...int32Edges)),
    key: nullable,
    value: nullable,
    headers: fc.dictionary(name, fc.oneof(content, fc.array(content, { maxLength: 3 })), {
      maxKeys: 6,
    }),
  });
/**
 * Names that stay distinct when they are decoded into an object. kafkajs takes what every object has,
 * such as `valueOf`, for an earlier value.
 */
const plainName = text.filter((name) => name.isWellFormed() && !(name in {}));

test('a record has the bytes of the message format', () => {
  fc.assert(
    fc.property(recordWith(text), (one) => {
      const encoded = encode(one);

      expect(encoded.size()).toBe(encoded.buffer.length);
      expect(encoded.buffer.equals(bytesByFormat(one))).toBe(true);
    }),
    propertyRuns(1_000),
  );
});

test('the decoder of kafkajs, which has no patch, reads each record of a batch', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recordWith(plainName), { minLength: 1, maxLength: 8 }),
      async (records) => {
        const batch = await RecordBatch({
          firstTimestamp: BATCH_TIMESTAMP,
          maxTimestamp: BATCH_TIMESTAMP,
          lastOffsetDelta: records.length - 1,
          records: records.map(encode),
        });

        const decoded = await decode(new Decoder(batch.buffer));

        const asBytes = (one: Content | null): Buffer | null =>
          one === null ? null : Buffer.from(one);
        expect(
          decoded.records.map(({ offset, timestamp, key, value, headers }) => ({
            offset,
            timestamp,
            key,
            value,
            headers: Object.entries(headers).flatMap(([name, values]) =>
              [values].flat().map((one) => [name, one]),
            ),
          })),
        ).toEqual(
          records.map((one) => ({
            offset: String(one.offsetDelta),
            timestamp: String(BigInt(BATCH_TIMESTAMP) + BigInt(one.timestampDelta)),
            key: asBytes(one.key),
            value: asBytes(one.value),
            headers: headerPairs(one).map(([name, header]) => [name, asBytes(header)]),
          })),
        );
      },
    ),
    propertyRuns(100),
  );
});
