import { freePortFrom, takePort } from './stack/ports.ts';

const HTTP_PORT = 8080;
const HTTPS_PORT = 8443;

export type ProxyPorts = {
  readonly port: number;
  readonly httpsPort: number;
  /** Notes for the user about the chosen ports. */
  readonly notes: readonly string[];
};

/**
 * Ports of the reverse proxy: the defaults, or the next free ones.
 * @throws if the requested port is taken
 */
export async function chooseProxyPorts(asked: number | undefined): Promise<ProxyPorts> {
  if (asked !== undefined && !(await takePort(asked))) {
    throw new Error(
      `Port ${asked} is in use by another program: set a free one with --port, or omit --port to use any.`,
    );
  }
  const port = asked ?? (await freePortFrom(HTTP_PORT));
  const httpsPort = await freePortFrom(port === HTTPS_PORT ? HTTPS_PORT + 1 : HTTPS_PORT);
  const notes = [
    ...(asked === undefined && port !== HTTP_PORT
      ? [`Port ${HTTP_PORT} is in use by another program; the base URL uses port ${port}.`]
      : []),
    ...(httpsPort !== HTTPS_PORT
      ? [`Port ${HTTPS_PORT} is in use; https uses port ${httpsPort}.`]
      : []),
  ];
  return { port, httpsPort, notes };
}
