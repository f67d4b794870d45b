import { connect } from 'node:net';

// Readiness checks in each store's own protocol: an open port or a log line comes seconds too
// early. Hand-written, because three drivers would cost more than these three requests.

const PROBE_TIMEOUT_MS = 2_000;

/**
 * Postgres requests a password only when it accepts connections; while starting or recovering it
 * returns an error.
 */
export function probePostgres(port: number, user: string, database: string): Promise<boolean> {
  const parameters = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return ask(port, {
    question: Buffer.concat([head, parameters]),
    bytes: 1,
    isExpected: (answer) => answer[0] === 'R'.charCodeAt(0),
  });
}

export function probeRedis(port: number): Promise<boolean> {
  return ask(port, {
    question: Buffer.from('PING\r\n'),
    bytes: 5,
    isExpected: (answer) => answer.toString().startsWith('+PONG'),
  });
}

/** Kafka lists a broker in its metadata once the broker is registered and accepts clients. */
export function probeKafka(port: number): Promise<boolean> {
  const clientId = 'tidings-probe';
  const request = Buffer.alloc(4 + 2 + 2 + 4 + 2 + clientId.length + 4 + 1);
  request.writeInt32BE(request.length - 4, 0);
  request.writeInt16BE(3, 4); // Metadata
  request.writeInt16BE(4, 6); // version 4: no topics requested, none created
  request.writeInt32BE(1, 8);
  request.writeInt16BE(clientId.length, 12);
  request.write(clientId, 14);
  // Response: size, correlation id, throttle time, then the number of brokers.
  return ask(port, {
    question: request,
    bytes: 16,
    isExpected: (answer) => answer.readInt32BE(12) > 0,
  });
}

type Exchange = {
  readonly question: Buffer;
  readonly bytes: number;
  readonly isExpected: (answer: Buffer) => boolean;
};

/** True if the first `bytes` of the response are as expected; false on any failure. */
function ask(port: number, { question, bytes, isExpected }: Exchange): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answer: Buffer = Buffer.alloc(0);
    const end = (isReady: boolean) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    socket.on('connect', () => socket.write(question));
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length >= bytes) end(isExpected(answer));
    });
  });
}
