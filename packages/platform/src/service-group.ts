import type { Logger } from './logger.ts';
import type { Service, ServiceContext } from './service.ts';

/** A service with its configuration, ready to start. */
export type ServiceStart = {
  readonly name: string;
  readonly start: (ctx: ServiceContext) => Promise<Service>;
};

/**
 * Services by the order in which they drain: a stage starts to drain when the stage before it has
 * finished, so that the work that a stage passes on is still done.
 */
export type Stages = readonly (readonly ServiceStart[])[];

/** The services of one process as one service. It drains those that have started. */
export interface ServiceGroup extends Required<Service> {
  /** Starts all services at once; resolves when all have started. Rejects with the first failure. */
  start(): Promise<void>;
  /** Whether at least one service has started. */
  hasStarted(): boolean;
}

export type ServiceGroupOptions = {
  readonly contextOf: (name: string) => ServiceContext;
  /** Called when a service has started, and when its start has failed. */
  readonly onStarted: (logger: Logger) => void;
  readonly onFailed: (logger: Logger, error: unknown) => void;
};

type Member = ServiceStart & { readonly ctx: ServiceContext; service?: Service };

export function createServiceGroup(
  stages: Stages,
  { contextOf, onStarted, onFailed }: ServiceGroupOptions,
): ServiceGroup {
  const members = stages.map((stage) =>
    stage.map((entry): Member => ({ ...entry, ctx: contextOf(entry.name) })),
  );
  const all = members.flat();
  const inStages = async (step: (service: Service) => Promise<void>): Promise<void> => {
    for (const stage of members)
      await Promise.all(
        stage.flatMap(({ service }) => (service === undefined ? [] : [step(service)])),
      );
  };
  const start = async (member: Member): Promise<void> => {
    try {
      member.service = await member.start(member.ctx);
    } catch (error) {
      onFailed(member.ctx.logger, error);
      throw error;
    }
    onStarted(member.ctx.logger);
  };

  return {
    async start() {
      await Promise.all(all.map(start));
    },
    hasStarted: () => all.some(({ service }) => service !== undefined),
    disableKeepAlive() {
      for (const { service } of all) service?.disableKeepAlive?.();
    },
    stopIntake: () => inStages((service) => service.stopIntake()),
    disconnect: () => inStages((service) => service.disconnect()),
    isAlive: createCheck(all, {
      isTrue: ({ service }) => service?.isAlive?.() ?? true,
      onChange: (logger, isAlive) =>
        isAlive
          ? logger.info('the service makes progress again')
          : logger.error('the service makes no progress: the process is not alive'),
    }),
    isReady: createCheck(all, {
      isTrue: ({ service }) => service !== undefined && (service.isReady?.() ?? true),
      onChange: (logger, isReady) =>
        isReady
          ? logger.info('the service is ready again')
          : logger.warn('the service is not ready, so the process is not ready'),
    }),
  };
}

/**
 * Whether something holds for every service. Of several services in one process, says which one
 * changed. A service that is still starting has not changed.
 */
function createCheck(
  members: readonly Member[],
  {
    isTrue,
    onChange,
  }: {
    readonly isTrue: (member: Member) => boolean;
    readonly onChange: (logger: Logger, now: boolean) => void;
  },
): () => boolean {
  const failing = new Set<Member>();
  return () => {
    let result = true;
    for (const member of members) {
      const now = isTrue(member);
      result &&= now;
      if (members.length === 1 || member.service === undefined || now !== failing.has(member))
        continue;
      if (now) failing.delete(member);
      else failing.add(member);
      onChange(member.ctx.logger, now);
    }
    return result;
  };
}
