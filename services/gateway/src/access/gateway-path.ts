/** The endpoints of the gateway. */
export type GatewayPath = 'ingest' | 'push';

/** The rates that count their requests. */
export type GatewayRate =
  | 'ingest'
  | 'ingestClient'
  | 'ingestClientAddress'
  | 'ingestBytes'
  | 'push';
