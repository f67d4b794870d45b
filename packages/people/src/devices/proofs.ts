/** SQL condition: the device proves the user with this id. Uses an index of `devices`. */
export const proves = (device: string, userId: string): string =>
  `${device}.proved_user_id = ${userId} and ${device}.user_id_at_proof = ${device}.user_id`;
