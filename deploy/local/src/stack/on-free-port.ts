import { freePortFrom, isFree } from './ports.ts';

/** Another program may take a port again and again, but then the fault is another one. */
const PORTS_MAX = 5;

/**
 * Starts a store on a port, or on the next free one if another program has taken it since it was found
 * free.
 * @throws the failure of the start
 */
export async function onFreePort<T>(
  port: number,
  start: (port: number) => Promise<T>,
  portsMax = PORTS_MAX,
): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    if (portsMax <= 1 || (await isFree(port))) throw error;
    return onFreePort(await freePortFrom(port + 1), start, portsMax - 1);
  }
}
