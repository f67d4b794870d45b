import { spawnService, type SpawnedService } from '@tidings/testing';

/** A gateway that listens. */
export type GatewayProcess = { readonly url: string; kill(): Promise<void> };

/** Starts `main` with the stores of the test's environment and without rates. */
export function spawnGateway(environment: Readonly<Record<string, string>> = {}): SpawnedService {
  return spawnService(new URL('../main.ts', import.meta.url), {
    RATE_PUSH_PER_SECOND: '0',
    ...environment,
  });
}

/** As `spawnGateway`, when it listens. */
export async function startGatewayProcess(
  environment?: Readonly<Record<string, string>>,
): Promise<GatewayProcess> {
  const gateway = spawnGateway(environment);
  return { url: await gateway.url, kill: () => gateway.kill() };
}
