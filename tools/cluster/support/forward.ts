import { spawn } from 'node:child_process';
import { clusterTool } from '../../helm/cluster-tool.ts';
import type { Cluster } from './cluster.ts';

const LISTENS_WITHIN_MS = 30_000;

/** Calls `use` with a local URL that forwards to a pod of a Service, while that pod lives. */
export async function withForward<T>(
  cluster: Cluster,
  service: string,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const child = spawn(
    clusterTool('kubectl'),
    ['-n', cluster.namespace, 'port-forward', `service/${service}`, ':80'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  try {
    const port = await new Promise<string>((resolve, reject) => {
      let said = '';
      const hear = (chunk: Buffer): void => {
        said += chunk.toString();
        const found = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`port-forward to ${service} ended: ${said}`)));
      setTimeout(
        () => reject(new Error(`port-forward to ${service} says nothing: ${said}`)),
        LISTENS_WITHIN_MS,
      ).unref();
    });
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    child.kill();
  }
}
