import {
  createLogger,
  ConfigError,
  loadConfig,
  processConfig,
  readEnvironment,
  standardError,
  type ConfigOf,
  type ConfigSpec,
  type Logger,
} from '@tidings/platform';

export type Command<S extends ConfigSpec> = {
  readonly name: string;
  readonly config: S;
  readonly run: (config: ConfigOf<S>, logger: Logger) => Promise<void>;
};

/**
 * Runs a one-off command, which logs to standard error: what it prints is its result. Exits with 1
 * on failure, so that its caller (for example a Job) retries.
 */
export async function runCommand<S extends ConfigSpec>({
  name,
  config,
  run,
}: Command<S>): Promise<void> {
  // PID 1 of a container ignores signals without a handler.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(1));
  const destination = standardError();
  let logger = createLogger(name, 'info', destination);
  try {
    const environment = readEnvironment();
    logger = createLogger(
      name,
      loadConfig({ logLevel: processConfig.logLevel }, environment).logLevel,
      destination,
    );
    await run(loadConfig(config, environment), logger);
    process.exit(0);
  } catch (error) {
    if (error instanceof ConfigError)
      logger.error({ problems: error.problems }, 'the configuration is not valid');
    else logger.error({ err: error }, `${name} failed`);
    process.exit(1);
  }
}
