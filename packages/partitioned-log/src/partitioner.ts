const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/** The partition of a key: murmur2 as in Kafka's own client, so producers in any language agree. */
export function choosePartition(key: Buffer, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** Signed 32-bit murmur2 with Kafka's seed (org.apache.kafka.common.utils.Utils#murmur2). */
export function murmur2(data: Buffer): number {
  const tail = data.length & ~3;
  let hash = SEED ^ data.length;
  for (let at = 0; at < tail; at += 4) {
    let word = Math.imul(data.readInt32LE(at), MULTIPLIER);
    word = Math.imul(word ^ (word >>> 24), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  if (tail < data.length) {
    hash = Math.imul(hash ^ data.readUIntLE(tail, data.length - tail), MULTIPLIER);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}
