import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/** The size of several full produce calls; a broker that reads never lets this much wait. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Closes connections whose peer stops reading. kafkajs abandons a request but not its connection,
 * so the socket buffer would grow as long as a broker is frozen.
 */
export function createSocketFactory(unsentBytesMax: number = UNSENT_BYTES_MAX): ISocketFactory {
  return ({ host, port, ssl, onConnect }) => {
    const servername = net.isIP(host) === 0 ? { servername: host } : {};
    // kafkajs's types always declare `ssl`, but without TLS it is absent.
    const socket = ssl
      ? tls.connect({ host, port, ...servername, ...ssl }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.write = new Proxy(socket.write, {
      apply(write, self, args) {
        if (socket.writableLength <= unsentBytesMax) return Reflect.apply(write, self, args);
        socket.destroy(new Error('the broker has stopped reading'));
        return false;
      },
    });
    return socket;
  };
}
