import { freePorts, type Supervisor } from '@tidings/local';
import { randomFrom } from '@tidings/testing';
import { watchReadyInstances, type ReadyInstances } from '../load/ready-instances.ts';
import { startTcpProxy } from '../net/tcp-proxy.ts';

/**
 * One address for all processes of a service, like a cluster's Service: each new connection goes to
 * the next ready process.
 */
export type Balancer = {
  readonly url: string;
  /** URLs of its processes by name; add new ones here. */
  readonly instances: Record<string, string>;
  /** Starts watching readiness. Separate, because the address is needed before a process exists. */
  watch(supervisor: Supervisor): void;
  close(): Promise<void>;
};

export async function startBalancer(): Promise<Balancer> {
  const [port = 0] = await freePorts(1);
  const instances: Record<string, string> = {};
  let ready: ReadyInstances | undefined;
  const proxy = await startTcpProxy({
    port,
    random: randomFrom(1),
    targetPort: () => (ready === undefined ? 0 : Number(new URL(ready.next()).port)),
  });
  return {
    url: `http://127.0.0.1:${port}`,
    instances,
    watch(supervisor) {
      ready = watchReadyInstances(supervisor, instances);
    },
    async close() {
      await ready?.stop();
      await proxy.close();
    },
  };
}
