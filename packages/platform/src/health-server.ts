import type { RequestListener } from 'node:http';
import { listen, type HttpAddress, type HttpServer } from './http/listen.ts';
import { metricsRegistry } from './metrics.ts';

export type HealthState = {
  /** Whether the service accepts new work; false as soon as draining starts. */
  isReady(): boolean;
  /** Whether the process makes progress; false requests a restart. */
  isAlive(): boolean;
};

/** `/healthz`, `/readyz` and `/metrics` on a port of their own, never the public one. */
export function startHealthServer(state: HealthState, address: HttpAddress): Promise<HttpServer> {
  const answer: RequestListener = (req, res) => {
    if (req.url === '/metrics') {
      metricsRegistry.metrics().then(
        (metrics) => {
          res.setHeader('Content-Type', metricsRegistry.contentType);
          res.end(metrics);
        },
        () => {
          res.statusCode = 500;
          res.end();
        },
      );
      return;
    }
    const checks: Record<string, () => boolean> = {
      '/healthz': state.isAlive,
      '/readyz': state.isReady,
    };
    const check = checks[req.url ?? ''];
    res.statusCode = check === undefined ? 404 : check() ? 200 : 503;
    res.end(res.statusCode === 200 ? 'ok\n' : 'not ok\n');
  };
  return listen(answer, address, { isTraced: false });
}
