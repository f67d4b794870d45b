// The generic plan: with custom plans, a statement with a short key list costs several times more
// to plan than to run.
const SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * Options of a connection on which every statement finds its rows by keys. Otherwise a full-scan
 * plan made for a nearly empty table would stay cached until the next ANALYZE.
 */
export const PLANS_BY_KEYS = Object.entries(SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Begins a transaction that plans so, in one round trip. */
export const BEGIN_BY_KEYS = [
  'begin',
  ...Object.entries(SETTINGS).map(([name, value]) => `set local ${name} = ${value}`),
].join('; ');
