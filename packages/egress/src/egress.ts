import { list, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { createAddressPolicy } from './addresses.ts';

const networksSetting = (env: string, receivers: string) =>
  ({
    egressAllowedNetworks: list(
      env,
      `Private networks (CIDR) that ${receivers} may be in. Without them only public addresses are reached.`,
      { default: [] },
    ),
  }) as const satisfies ConfigSpec;

/**
 * One allow-list per purpose: a private SMTP server must not open a network for the webhooks of
 * every application.
 */
export const egressConfigs = {
  smtp: networksSetting('EGRESS_SMTP_NETWORKS', 'SMTP servers'),
  sms: networksSetting('EGRESS_SMS_NETWORKS', 'the SMS provider'),
  push: networksSetting('EGRESS_PUSH_NETWORKS', 'push services'),
  hooks: networksSetting('EGRESS_HOOKS_NETWORKS', 'receivers of hooks and webhooks'),
} as const;
export type EgressConfigSpec = (typeof egressConfigs)[keyof typeof egressConfigs];

/**
 * The address must not be connected to: private, loopback, link-local or reserved, or a public one
 * at a forbidden port.
 */
export class EgressBlockedError extends Error {
  constructor(host: string, why = 'is not a public address') {
    super(`${host} ${why}`);
    this.name = 'EgressBlockedError';
  }
}

/** Opens connections to external addresses: from settings, profiles or messages. */
export interface Egress {
  /**
   * Resolves the host once, checks every address and connects to the first that responds. A name
   * that changes between check and use (DNS rebinding) gains nothing. If `publicPorts` is set,
   * public addresses are reached only at those ports.
   * @throws EgressBlockedError, or an error with the code of the look-up or the connection
   * (`ETIMEDOUT` after `timeoutMs`)
   */
  connect(target: {
    readonly host: string;
    readonly port: number;
    readonly timeoutMs: number;
    readonly publicPorts?: readonly number[];
  }): Promise<Socket>;
}

/** All addresses of a host. */
export type Resolver = (host: string) => Promise<readonly string[]>;

const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Time until the next address of a host is tried. */
const ATTEMPT_TIMEOUT_MS = 1_000;

export function createEgress(
  config: ConfigOf<EgressConfigSpec>,
  resolve: Resolver = systemResolver,
): Egress {
  const isAllowed = createAddressPolicy(config.egressAllowedNetworks);
  const isOpened = createAddressPolicy(config.egressAllowedNetworks, () => false);

  async function vettedAddresses(host: string, isPortPublic: boolean): Promise<readonly string[]> {
    const addresses = isIP(host) ? [host] : await resolve(host);
    if (addresses.length === 0 || !addresses.every(isAllowed)) throw new EgressBlockedError(host);
    if (!isPortPublic && !addresses.every(isOpened))
      throw new EgressBlockedError(host, 'is not reached at this port, or in this way');
    return addresses;
  }

  return {
    async connect({ host, port, timeoutMs, publicPorts }) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const addresses = await inTime(
        vettedAddresses(host, publicPorts?.includes(port) ?? true),
        deadline,
      );
      return openSocket({ host, port, addresses }, deadline);
    },
  };
}

const tooLate = (): Error =>
  Object.assign(new Error('the connection took too long'), { code: 'ETIMEDOUT' });

function inTime<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    deadline.addEventListener('abort', () => reject(tooLate()), { once: true });
    work.then(resolve, reject);
  });
}

type VettedTarget = {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
};

function openSocket(
  { host, port, addresses }: VettedTarget,
  deadline: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      keepAlive: true,
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
      // The socket calls this only for a name; there is no second look-up.
      lookup: (_host, _options, done) =>
        done(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
    });
    const giveUp = (): void => void socket.destroy(tooLate());
    const fail = (error: Error): void => {
      deadline.removeEventListener('abort', giveUp);
      // Each address failed in its own way; report the first error.
      reject(error instanceof AggregateError ? error.errors[0] : error);
    };
    deadline.addEventListener('abort', giveUp, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      deadline.removeEventListener('abort', giveUp);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
