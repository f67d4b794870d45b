/**
 * SQL that takes addresses away from the devices that still have that very one; `dead` is a query of (application_id,
 * device_id, address). In the order of their keys, so that two statements cannot deadlock.
 */
export const removeAddresses = (dead: string): string =>
  `update devices v set address = null, address_hash = null
   from (select l.application_id, l.device_id from devices l join (${dead}) x
           on x.application_id = l.application_id and x.device_id = l.device_id and x.address = l.address
         order by 1, 2 for update of l) locked
   where v.application_id = locked.application_id and v.device_id = locked.device_id
   returning v.application_id, v.device_id`;
