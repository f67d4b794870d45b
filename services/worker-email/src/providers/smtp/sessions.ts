import type { OutgoingDelivery } from '@tidings/channel-worker';
import type { MailProviderTools } from '../mail-provider.ts';
import { readDkimKeys, type DkimKey } from './dkim.ts';
import { openSession } from './open-session.ts';
import type { SmtpSession } from './session.ts';
import type { SmtpConfig, SmtpSettings } from './settings.ts';

/** Maximum accounts with open connections. */
const ACCOUNTS_MAX = 100;
/** A connection is replaced after this many mails, as servers expect. */
const MAILS_PER_CONNECTION_MAX = 1_000;

/**
 * Mails wait behind others over as many connections as carry this many mails a second, one after
 * the other, at the time in which the server answers one: each mail then has half of the writes and
 * reads. A slow server is given a connection for each send in flight.
 */
const MAILS_PER_SECOND = 2_500;
/** Mails never wait over fewer connections. */
const CONNECTIONS_MIN = 4;
/** Weight of each new reply in the mean. */
const MEAN_SHARE = 0.1;

/** The connections of one version of an application's settings. */
class Account {
  /** Idle connections, last in first out, so that unused ones time out. */
  readonly #idle: SmtpSession[] = [];
  readonly #busy = new Set<SmtpSession>();
  #connecting = 0;
  #isClosed = false;
  /** Mean time to the reply to a mail; infinite before the first. */
  #replyMs = Infinity;

  readonly #account: Pick<OutgoingDelivery, 'settings' | 'secrets'>;
  readonly #open: (signal: AbortSignal) => Promise<SmtpSession>;
  #dkimKeys: readonly DkimKey[] | undefined;

  constructor(
    { settings, secrets }: Pick<OutgoingDelivery, 'settings' | 'secrets'>,
    open: (signal: AbortSignal) => Promise<SmtpSession>,
  ) {
    this.#account = { settings, secrets };
    this.#open = open;
  }

  /** @throws SmtpSettingsError if a private key cannot be read */
  get dkimKeys(): readonly DkimKey[] {
    const { settings, secrets } = this.#account;
    return (this.#dkimKeys ??= readDkimKeys(settings as SmtpSettings, secrets));
  }

  /**
   * A connection over which a mail may be sent at once, or behind another one. The caller releases
   * it when its mail has an outcome.
   */
  take({ mayWaitBehind }: { readonly mayWaitBehind: boolean }): SmtpSession | undefined {
    const shared = mayWaitBehind ? this.#shared() : undefined;
    if (shared !== undefined) return shared;
    let session = this.#idle.pop();
    while (session !== undefined && !session.isOpen) session = this.#idle.pop();
    if (session !== undefined) this.#busy.add(session);
    return session;
  }

  /** A new connection. The slots of the worker bound how many there are. */
  async connect(signal: AbortSignal): Promise<SmtpSession> {
    this.#connecting += 1;
    try {
      const session = await this.#open(signal);
      this.#busy.add(session);
      return session;
    } finally {
      this.#connecting -= 1;
    }
  }

  release(session: SmtpSession): void {
    const { replyMs } = session;
    if (replyMs !== null)
      this.#replyMs =
        this.#replyMs === Infinity
          ? replyMs
          : this.#replyMs + (replyMs - this.#replyMs) * MEAN_SHARE;
    // Another mail is sent over it, or it was released by one that ended with this one.
    if (session.isOpen && !session.isIdle) return;
    if (!this.#busy.delete(session) || !session.isOpen) return;
    if (this.#isClosed || session.sent >= MAILS_PER_CONNECTION_MAX) session.close();
    else this.#idle.push(session);
  }

  /** Closes idle connections; the others close when their mails have their outcomes. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#idle.splice(0)) session.close();
  }

  #shared(): SmtpSession | undefined {
    const connections = Math.max(CONNECTIONS_MIN, (this.#replyMs * MAILS_PER_SECOND) / 1_000);
    if (this.#busy.size + this.#connecting < connections) return undefined;
    for (const session of this.#busy)
      if (session.hasRoomBehind && session.sent < MAILS_PER_CONNECTION_MAX) return session;
    return undefined;
  }
}
export type SmtpAccount = Pick<Account, 'take' | 'connect' | 'release' | 'dkimKeys'>;

/** The connections of all accounts. A change of the settings closes the connections of the old ones. */
export interface SmtpSessions {
  accountOf(delivery: OutgoingDelivery): SmtpAccount;
  close(): void;
}

export function createSmtpSessions(
  config: SmtpConfig,
  tools: MailProviderTools,
  open: typeof openSession = openSession,
): SmtpSessions {
  const accounts = new Map<string, { readonly settingsKey: string; readonly account: Account }>();
  return {
    accountOf(delivery) {
      const { accountKey, settingsKey } = delivery;
      const known = accounts.get(accountKey);
      // Moved to the end: the first entry is the least recently used one.
      accounts.delete(accountKey);
      if (known?.settingsKey === settingsKey) {
        accounts.set(accountKey, known);
        return known.account;
      }
      known?.account.close();
      const [oldest] = accounts;
      if (oldest !== undefined && accounts.size >= ACCOUNTS_MAX) {
        accounts.delete(oldest[0]);
        oldest[1].account.close();
      }
      // Not the delivery itself: the account outlives it.
      const { settings, secrets } = delivery;
      const account = new Account({ settings, secrets }, (signal) =>
        open({ settings, secrets, signal }, config, tools),
      );
      accounts.set(accountKey, { settingsKey, account });
      return account;
    },
    close() {
      for (const { account } of accounts.values()) account.close();
      accounts.clear();
    },
  };
}
