import { freePortFrom, freePorts } from '../stack/ports.ts';
import type { ServicePorts } from './environment.ts';
import type { ServiceEntry } from './table.ts';

// The default ports, kept if possible: users keep the sandbox page open and point their tools at
// its SMTP server.
const SANDBOX_PORT = 8025;
const SANDBOX_SMTP_PORT = 2525;

/**
 * Free ports for every service; the sandbox gets its two default ports if `hasUsualPorts` and they
 * are free.
 */
export async function choosePorts(
  services: readonly ServiceEntry[],
  { hasUsualPorts }: { readonly hasUsualPorts: boolean },
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
    } else {
      ports.set(name, hasHttp ? { healthPort, port: next() } : { healthPort });
    }
  }
  return ports;
}
