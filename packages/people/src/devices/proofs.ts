/** SQL that says whether this device proves the user whose id is this SQL; an index finds the devices. */
export const proves = (device: string, userId: string): string =>
  `${device}.proved_user_id = ${userId} and ${device}.user_id_at_proof = ${device}.user_id`;
