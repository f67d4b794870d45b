/** Where requests go and what is in them. */
export type Target = {
  readonly host: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly messagesPerRequest: number;
  /** Requests are sent in the names of this many users, in turn. */
  readonly users: number;
  /** Message ids begin with it; another for each run, so that no event is a duplicate. */
  readonly idPrefix: string;
  /** What the messages are: events, the registration of each user in turn, or events with a profile change now and then; or else pushes. */
  readonly content: 'events' | 'registrations' | 'mixed' | PushContent;
};

/** A push a request: its body, in which MARKS stand for what is its own. */
export type PushContent = { readonly push: object };

/**
 * When requests go out. `closed`: each connection sends its next request when it has the answer to the last, so a slow
 * server is asked less. `open`: at a constant rate whatever the answers are, as the world does.
 */
export type Arrival =
  | { readonly type: 'closed'; readonly connections: number; readonly requestsMax?: number }
  | { readonly type: 'open'; readonly requestsPerSecond: number; readonly connectionsMax: number };

/** Requests of one kind from one caller, measured by themselves. */
export type Stream = { readonly name: string; readonly target: Target; readonly arrival: Arrival };

/** All streams run side by side; what is sent in the warm-up is not measured. */
export type LoadPlan = {
  readonly streams: readonly Stream[];
  readonly warmUpMs: number;
  readonly measuredMs: number;
};

export type Latencies = {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

export type StreamResult = {
  readonly name: string;
  /** Requests that were due within the measured time. */
  readonly due: number;
  /** Those of them that were answered 2xx, however late. */
  readonly accepted: number;
  /** Answers 2xx that came within the measured time, per second of it. */
  readonly acceptedPerSecond: number;
  /** Answers that were not 2xx, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Requests whose connection broke or was silent for too long. */
  readonly unanswered: number;
  /** Requests that never found a free connection. */
  readonly unsent: number;
  /** Of the accepted ones, from the moment each was due. */
  readonly latency: Latencies;
};

export type LoadResult = {
  readonly seconds: number;
  /** CPU of the generator itself. */
  readonly cpuSeconds: number;
  readonly streams: readonly StreamResult[];
};
