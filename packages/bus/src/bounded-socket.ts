import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/** Several full produce calls: a broker that reads at all never lets so much wait. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Connections that end when their peer reads nothing. kafkajs gives up a request but not its connection, so what a frozen
 * broker does not take would gather in the socket's buffer for as long as it is frozen.
 */
export function createSocketFactory(unsentBytesMax: number = UNSENT_BYTES_MAX): ISocketFactory {
  return ({ host, port, ssl, onConnect }) => {
    const servername = net.isIP(host) === 0 ? { servername: host } : {};
    // Of kafkajs's types `ssl` is always there; without TLS it is not.
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
