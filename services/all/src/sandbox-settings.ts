import { egressConfigs, pushServicesConfig } from '@tidings/egress';
import { httpConfig } from '@tidings/http/http-config';
import { loadConfig } from '@tidings/platform';
import { sandboxConfig } from '@tidings/sandbox/src/config.ts';
import { OWN_NAMES } from './config.ts';

type Environment = Readonly<Record<string, string>>;

/** Loopback, where the sandbox of the same process listens. */
const LOOPBACK = '127.0.0.0/8,::1/128';

/**
 * Adds the settings with which services reach the sandbox of their process, and it them. Variables
 * of the environment win.
 */
export function withSandboxSettings(environment: Environment): Environment {
  const { port, sandboxPort } = loadConfig(
    {
      port: httpConfig.port,
      sandboxPort: { ...sandboxConfig.port, ...OWN_NAMES['sandbox']?.['PORT'] },
    },
    environment,
  );
  return {
    ...Object.fromEntries(
      Object.values(egressConfigs).map(({ egressAllowedNetworks }) => [
        egressAllowedNetworks.env,
        LOOPBACK,
      ]),
    ),
    [pushServicesConfig.webPushServices.env]: [
      // A browser on this machine knows it by the second name.
      `http://127.0.0.1:${sandboxPort}`,
      `http://localhost:${sandboxPort}`,
      ...(pushServicesConfig.webPushServices.default ?? []),
    ].join(','),
    [sandboxConfig.reportUrl.env]: `http://127.0.0.1:${port}/cb/email/dsn`,
    ...environment,
  };
}
