import { mkdirSync } from 'node:fs';
import { homeLayout } from '../home.ts';
import { fetchRedis } from './maven.ts';
import { findOnPath } from './on-path.ts';
import { startComponent, type ComponentOptions, type StackComponent } from './component.ts';
import { probeRedis } from './probe.ts';

/** Redis from PATH, else from Maven. Its data may be lost, so nothing is written to disk. */
export async function startRedis({
  home,
  port,
  env,
  signal,
}: ComponentOptions): Promise<StackComponent> {
  const layout = homeLayout(home);
  const dataDir = layout.dataDir('redis');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return startComponent({
    url: `redis://127.0.0.1:${port}`,
    process: {
      name: 'redis',
      command: findOnPath('redis-server', env) ?? (await fetchRedis({ env, signal })),
      args: [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        dataDir,
        '--save',
        '',
        '--appendonly',
        'no',
      ],
      cwd: dataDir,
      env,
      logFile: layout.logFile('redis'),
      runDir: layout.runDir,
      stopSignal: 'SIGTERM',
      isWaitedFor: true,
    },
    signal,
    prepare: async () => undefined,
    isReady: () => probeRedis(port),
  });
}
