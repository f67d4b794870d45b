import { freePortFrom, freePorts } from '../stack/ports.ts';
import type { ServicePorts } from './environment.ts';
import { ONE_PROCESS, type ServiceEntry } from './table.ts';

// The default ports, kept if possible: users keep the sandbox page open and point their tools at
// its SMTP server.
const SANDBOX_PORT = 8025;
const SANDBOX_SMTP_PORT = 2525;

/**
 * Free ports for every service; the sandbox gets its two default ports if `hasUsualPorts` and they
 * are free. `portOfAll` is that of the process with all services.
 */
export async function choosePorts(
  services: readonly ServiceEntry[],
  { hasUsualPorts, portOfAll }: { readonly hasUsualPorts: boolean; readonly portOfAll?: number },
): Promise<ReadonlyMap<string, ServicePorts>> {
  const free = [...(await freePorts(services.length * 3))];
  const next = (): number => free.pop() ?? 0;
  const ports = new Map<string, ServicePorts>();
  for (const { name, hasHttp } of services) {
    const healthPort = next();
    if (name === 'sandbox') {
      const port = hasUsualPorts ? await freePortFrom(SANDBOX_PORT) : next();
      const smtpPort = hasUsualPorts ? await freePortFrom(SANDBOX_SMTP_PORT) : next();
      ports.set(name, { healthPort, port, smtpPort });
    } else if (name === ONE_PROCESS && portOfAll !== undefined) {
      ports.set(name, { healthPort, port: portOfAll });
    } else {
      ports.set(name, hasHttp ? { healthPort, port: next() } : { healthPort });
    }
  }
  return ports;
}
