// A version that knows no proofs changes the user of a device alone, so a proof counts only for the user it was given with.

/** SQL of the person that this device proves; null where there is none. */
export const provedUserOf = (device: string): string =>
  `case when ${device}.user_id_at_proof = ${device}.user_id then ${device}.proved_user_id end`;

/** SQL that says whether this device proves the user whose id is this SQL; an index finds the devices. */
export const proves = (device: string, userId: string): string =>
  `${device}.proved_user_id = ${userId} and ${device}.user_id_at_proof = ${device}.user_id`;
