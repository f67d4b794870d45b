import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HOME_DIR, ROOT_DIR } from '../home.ts';
import { makeOnce } from './make-once.ts';
import { runTool } from './run-tool.ts';

export type FetchOptions = {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
};

const POM = join(ROOT_DIR, 'deploy', 'local', 'pom.xml');

/** Downloads Kafka's jars once; all installations of the checkout share them. */
export async function fetchKafka(options: FetchOptions): Promise<string> {
  const libs = join(HOME_DIR, 'kafka', 'libs');
  await fetchInto(libs, 'dependency:copy-dependencies', options);
  return libs;
}

/** The Redis server inside the jar `embedded-redis`, for machines without Redis. */
export async function fetchRedis(options: FetchOptions): Promise<string> {
  const folder = join(HOME_DIR, 'redis', 'bin');
  await fetchInto(folder, 'dependency:unpack@redis', options);
  const architecture =
    { x64: 'amd64', arm64: 'arm64', ia32: '386' }[process.arch as string] ?? process.arch;
  const file = readdirSync(folder).find((name) =>
    name.endsWith(`-${process.platform}-${architecture}`),
  );
  if (file === undefined)
    throw new Error(
      `No Redis for ${process.platform} ${process.arch}: install redis-server, or set REDIS_URL.`,
    );
  chmodSync(join(folder, file), 0o755);
  return join(folder, file);
}

function fetchInto(folder: string, goal: string, options: FetchOptions): Promise<void> {
  return makeOnce(folder, (making) =>
    runTool('mvn', ['-B', '-q', '-f', POM, goal, `-DoutputDirectory=${making}`], options),
  );
}
