/** Shorter runs are in any response by chance. */
const RUN_CHARS_MIN = 3;

/**
 * Whether a mail server's response does not name the recipient, so that it may outlive their
 * deletion. It has no address and no part of the local part of this one. False for other addresses
 * than e-mail: a response may write a phone number or a token in another way.
 */
export function isNeutralResponse(response: string, address: string): boolean {
  const at = address.lastIndexOf('@');
  if (at < 1 || response.includes('@')) return false;
  const said = response.toLowerCase();
  return !runsOf(address.slice(0, at)).some((run) => said.includes(run));
}

/** `ada.lovelace` has two. A local part of short runs counts as one. */
function runsOf(localPart: string): readonly string[] {
  const lower = localPart.toLowerCase();
  const runs = lower.split(/[^\p{L}\p{N}]+/u).filter((run) => run.length >= RUN_CHARS_MIN);
  return runs.length > 0 ? runs : [lower];
}
